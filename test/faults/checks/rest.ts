import type { Member } from "../scenario.ts"
import { readOpen } from "../settle.ts"
import type { World } from "../world.ts"
import { rows } from "./rows.ts"

const READER_WAITS_MS = 3_000

/** The reader hears all that was published, each once, and no sequence is left out. */
export async function checkStream({ journal }: World, { team, stream }: Member): Promise<string[]> {
  const missing = [...journal.published.values()]
    .filter(({ teamId }) => teamId === team.id)
    .map(({ change }) => change)
  const silence = scheduler.wait(READER_WAITS_MS).then(() => null)
  await stream.next()
  for (let sequence = 1; missing.length > 0; sequence++) {
    const frame = await Promise.race([stream.next(), silence])
    if (!frame) return [`published, and never read: ${missing.join(", ")}`]
    if (frame.comment) {
      sequence--
      continue
    }
    if (Number(frame.id) !== sequence) return [`${frame.id} was read where ${sequence} is next`]
    const index = missing.indexOf(frame.data ?? "")
    if (index < 0) return [`${frame.id} was read, and is told already: ${frame.data}`]
    missing.splice(index, 1)
  }
  await stream.close()
  return []
}

export const checkTold = ({ journal }: World) =>
  journal.untold().map((change) => `untold: ${change}`)

export const checkLeftovers = async () =>
  (await readOpen()).map(({ what, count }) => `left over: ${count} ${what}`)

/** Outcomes may have been put back into their queue. */
export async function checkDeadLetters({ queues }: World): Promise<string[]> {
  const letters = await rows(
    "select distinct json_remove(body, '$.replayed') as body from dead_letters",
  )
  const kept = new Set(letters.map(({ body }) => body as string))
  const given = new Set(queues.deadLettered)
  return [
    ...[...kept]
      .filter((body) => !given.has(body))
      .map((body) => `a dead letter of its own: ${body}`),
    ...[...given]
      .filter((body) => !kept.has(body) && JSON.parse(body).kind !== "outcomes")
      .map((body) => `no dead letter: ${body}`),
  ]
}
