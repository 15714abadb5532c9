import { expect } from "vitest"
import { eventually } from "../../support/eventually.ts"
import type { Member } from "../scenario.ts"
import { readOpen } from "../settle.ts"
import type { World } from "../world.ts"
import { rows } from "./rows.ts"

/** The reader hears all that was published, each once, and no sequence is left out. */
export async function checkStream({ journal }: World, { team, stream }: Member): Promise<string[]> {
  const missing = [...journal.published.values()]
    .filter(({ teamId }) => teamId === team.id)
    .map(({ change }) => change)
  const hasAll = () => expect(stream.frames.length).toBeGreaterThanOrEqual(missing.length)
  await eventually(hasAll).catch(() => {})
  await stream.close()
  const wrongs: string[] = []
  for (const [index, { id, event, data = "" }] of stream.frames.entries()) {
    if (event === "reset") wrongs.push(`the reader was reset to ${id}`)
    if (Number(id) !== index + 1) wrongs.push(`${id} was read where ${index + 1} is next`)
    const at = missing.indexOf(data)
    if (at < 0) wrongs.push(`${id} was read, and is told already: ${data}`)
    else missing.splice(at, 1)
  }
  if (missing.length > 0) wrongs.push(`published, and never read: ${missing.join(", ")}`)
  return wrongs
}

/** Nobody reads the stream of a deleted team. */
export const checkTold = ({ journal }: World, deletedTeam = "none") =>
  journal
    .untold()
    .filter((change) => !change.startsWith(deletedTeam))
    .map((change) => `untold: ${change}`)

export const checkLeftovers = async () =>
  (await readOpen()).map(({ what, count }) => `left over: ${count} ${what}`)

/** A letter may be missing: it was put back into its queue. */
export async function checkDeadLetters({ queues }: World): Promise<string[]> {
  const letters = await rows(
    "select distinct json_remove(body, '$.replayed') as body from dead_letters",
  )
  const given = new Set(queues.deadLettered)
  return letters
    .filter(({ body }) => !given.has(body as string))
    .map(({ body }) => `a dead letter of its own: ${body}`)
}
