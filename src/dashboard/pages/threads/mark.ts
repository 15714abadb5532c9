import type { Thread } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { doForEach } from "../../ui/export/for-each.ts"
import { counted } from "../../ui/numbers.ts"
import { say } from "../../ui/toast.tsx"

export type State = Thread["state"]

const DONE: Record<State, string> = {
  open: "reopened",
  done: "marked as done",
  spam: "marked as spam",
}

/** Undo puts each thread back into the state that it had. */
export async function markThreads(threads: readonly Thread[], state: State): Promise<void> {
  const changed = threads.filter((thread) => thread.state !== state)
  const done = await setStates(changed.map(({ id }) => ({ id, state })))
  if (done.length === 0) return
  const before = changed.filter(({ id }) => done.some((one) => one.id === id))
  say(`${counted(done.length, "thread")} ${DONE[state]}`, () => setStates(before))
}

async function setStates(threads: readonly Pick<Thread, "id" | "state">[]) {
  const done = await doForEach(threads, async ({ id, state }) => {
    queries.setQueryData(["thread", id], await api.threads.update(id, { state }))
  })
  void queries.invalidateQueries({ queryKey: ["threads"] })
  return done
}
