import { useEffect, useRef } from "react"
import { store } from "../store.ts"
import { api } from "./api.ts"
import { queries } from "./queries.ts"
import { createTicker } from "./ticker.ts"

/** `lost` is shown to the person, since the page may be out of date. */
type LiveState = "connecting" | "live" | "lost"

export type ChangeType = "email" | "webhook" | "received"

/** The first part of the keys of lists that a change may touch. */
const LISTS = { email: "emails", webhook: "webhooks", received: "threads" } as const

/** `later` asks for the same ids again. */
type Refresh = (ids: ReadonlySet<string>, signal: AbortSignal) => Promise<unknown>

interface Follower {
  type: ChangeType
  refresh(ids: ReadonlySet<string>): ReturnType<Refresh>
}

const connection = store<LiveState>("connecting")
const behind = store(false)
const followers = new Set<Follower>()
let changed = new Map<ChangeType, Set<string>>()
let isReset = false

export const useLiveState = connection.use

/** The latest changes could not be read. */
export const useIsBehind = behind.use

/** More changes than this are not remembered: everything is read again. */
const MOST_IDS = 10_000

const ticker = createTicker(refreshAll, {
  isHidden: () => document.hidden,
  onFailing: behind.set,
})

/** What changed while the page was hidden is read when it is shown. */
document.addEventListener("visibilitychange", () => ticker.ask())

/** Refreshes with the ids that changed, while the component is shown. */
export function useChanges(type: ChangeType, refresh: Refresh) {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const gone = new AbortController()
    const follower: Follower = {
      type,
      refresh: (ids) =>
        latest.current(ids, gone.signal).catch((error) => {
          if (!gone.signal.aborted) throw error
        }),
    }
    followers.add(follower)
    return () => {
      followers.delete(follower)
      gone.abort()
    }
  }, [type])
}

/** Notes changes. One ticker refreshes all that the page shows. */
export function noteChanges(type: ChangeType, ids: Iterable<string>) {
  const noted = changed.get(type) ?? new Set()
  changed.set(type, noted)
  for (const id of ids) noted.add(id)
  if (noted.size > MOST_IDS) {
    changed.clear()
    isReset = true
  }
  ticker.ask()
}

async function refreshAll() {
  const taken = changed
  const wasReset = isReset
  changed = new Map()
  isReset = false
  try {
    if (wasReset) await readAllAnew()
    for (const [type, ids] of taken) await refreshType(type, ids)
  } catch (error) {
    isReset ||= wasReset
    for (const [type, ids] of taken) noteChanges(type, ids)
    throw error
  }
}

/** Lists get their new rows, so none of them waits any more. */
function readAllAnew() {
  queries.resetQueries({ queryKey: ["news"] })
  return queries.invalidateQueries({}, { throwOnError: true })
}

async function refreshType(type: ChangeType, ids: ReadonlySet<string>) {
  // Lists that are not shown are read anew when they are.
  if (ids.size > 0) {
    queries.invalidateQueries({ queryKey: [LISTS[type]], type: "inactive", refetchType: "none" })
  }
  const shown = queries.invalidateQueries({
    predicate: ({ queryKey: [name, id] }) => name === type && ids.has(String(id)),
  })
  const results = await Promise.allSettled([
    shown,
    ...[...followers].filter((one) => one.type === type).map((one) => one.refresh(ids)),
  ])
  const failed = results.find((result) => result.status === "rejected")
  if (failed) throw failed.reason
  if (results.some((result) => result.status === "fulfilled" && result.value === "later")) {
    noteChanges(type, ids)
  }
}

/**
 * Follows the team's stream until `stop` is called, while the tab is shown. A lost connection is opened again
 * with the number of the last change, so that nothing is missed; after a reset everything shown is read again.
 */
export function followTeam(): () => void {
  const stop = new AbortController()
  follow(stop.signal).catch(() => {
    if (!stop.signal.aborted) connection.set("lost")
  })
  return () => stop.abort()
}

async function follow(signal: AbortSignal) {
  let last: number | undefined
  for (let isResumed = false; ; isResumed = true) {
    signal.throwIfAborted()
    const shown = abortedWhenHidden(signal)
    const stream = api.stream({
      include: "received",
      signal: shown,
      ...(last !== undefined && { lastEventId: last }),
      onConnection(isConnected) {
        if (shown.aborted) return
        // Before the first change there is no number to catch up from.
        const hasNoNumber = isResumed && last === undefined
        if (isConnected && (hasNoNumber || connection.get() === "lost")) resetAll()
        connection.set(isConnected ? "live" : "lost")
      },
    })
    for await (const change of stream) {
      last = change.sequence
      if (change.type === "reset") resetAll()
      else noteChanges(change.type, [change.id])
    }
    await untilShown()
  }
}

/** A stream costs something for as long as it is open. */
const HIDDEN_MS = 5 * 60_000

/** Aborts with `signal`, or after the tab was hidden for some minutes. */
function abortedWhenHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController()
  const aborted = AbortSignal.any([signal, hidden.signal])
  let timer: ReturnType<typeof setTimeout>
  const watch = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(() => hidden.abort(), HIDDEN_MS)
  }
  watch()
  document.addEventListener("visibilitychange", watch, { signal: aborted })
  return aborted
}

const untilShown = () =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (document.hidden) return
      document.removeEventListener("visibilitychange", look)
      resolve()
    }
    document.addEventListener("visibilitychange", look)
    look()
  })

function resetAll() {
  isReset = true
  ticker.ask()
}
