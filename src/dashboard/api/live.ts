import { useEffect } from "react"
import { store } from "../store.ts"
import { api } from "./api.ts"
import { queries } from "./queries.ts"

/** `lost` is shown to the person, since the page may be out of date. */
type LiveState = "connecting" | "live" | "lost"

type Listener = (change: { type: string; id: string }) => void

const state = store<LiveState>("connecting")
const listeners = new Set<Listener>()

export const useLiveState = state.use

/** Calls back on each change of the team, while the component is shown. */
export function useChanges(listener: Listener) {
  useEffect(() => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [listener])
}

/**
 * Follows the team's stream until `stop` is called. Every change makes the queries stale whose key
 * begins with its type; a reset makes all of them stale. A lost connection is opened again with the
 * number of the last change, so that nothing is missed.
 */
export function followTeam(): () => void {
  const stop = new AbortController()
  follow(stop.signal).catch(() => {
    if (!stop.signal.aborted) state.set("lost")
  })
  return () => stop.abort()
}

async function follow(signal: AbortSignal) {
  const stream = api.stream({
    signal,
    onConnection(connected) {
      // Before the first change there is no number to catch up from.
      if (connected && state.get() === "lost") queries.invalidateQueries()
      state.set(connected ? "live" : "lost")
    },
  })
  for await (const change of stream) {
    if (change.type === "reset") {
      queries.invalidateQueries()
      continue
    }
    queries.invalidateQueries({ queryKey: [change.type, change.id] })
    queries.invalidateQueries({ queryKey: [`${change.type}s`, "fresh"] })
    for (const listener of listeners) listener(change)
  }
}
