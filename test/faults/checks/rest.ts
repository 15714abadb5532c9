import type { Member } from "../scenario.ts"
import { readOpen } from "../settle.ts"
import type { World } from "../world.ts"
import { difference, rows } from "./rows.ts"

/** The reader has heard all that was published, in order. */
export async function checkStream({ journal }: World, { team, stream }: Member): Promise<string[]> {
  const published = journal.published.filter(({ teamId }) => teamId === team.id)
  const heard: string[] = []
  await stream.next()
  for (let sequence = 1; sequence <= published.length; sequence++) {
    const { id, data } = await stream.next()
    if (Number(id) !== sequence) return [`the stream says ${id} where ${sequence} is next`]
    heard.push(data as string)
  }
  await stream.close()
  return difference(
    [...new Set(heard)],
    [...new Set(published.map(({ change }) => change))],
    "was read, and never published",
    "was published, and never read",
  )
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
