import { env } from "cloudflare:workers"
import { mapLimit } from "../../../src/lib/chunk.ts"
import type { Receiving } from "../incoming.ts"
import type { World } from "../world.ts"
import { type Row, rows } from "./rows.ts"

const READ_AT_ONCE = 50

/** Each message once, byte for byte, with one thread, one event and nothing beside it. */
export async function checkIncoming(world: World, receiving: Receiving): Promise<string[]> {
  const { team, messages, refused } = receiving
  const taken = await rows("select * from received_emails where team_id = ?", team.id)
  const byId = Map.groupBy(taken, ({ message_id }) => message_id)
  const wrongs = await mapLimit(messages, READ_AT_ONCE, async ({ messageId, bytes, isDeleted }) => {
    const found = byId.get(messageId) ?? []
    const expected = isDeleted ? 0 : 1
    if (found.length !== expected) return `${messageId} is there ${found.length} times`
    const [row] = found
    if (!row) return []
    const object = await env.CONTENT.get(row.object_key)
    const kept = object && new Uint8Array(await object.arrayBuffer())
    if (!kept || Buffer.compare(kept, bytes) !== 0) return `${messageId} is not as it came`
    return row.parsed === 1 ? [] : `${messageId} is not parsed: ${row.parsed}`
  })
  return [
    ...wrongs.flat(),
    ...refused.map((one) => `refused: ${one}`),
    ...(taken.length === messages.filter(({ isDeleted }) => !isDeleted).length
      ? []
      : [`${taken.length} messages are there`]),
    ...(await checkThreads(receiving, taken)),
    ...(await checkTold(receiving)),
    ...(await checkObjects(world, receiving, taken)),
  ]
}

async function checkThreads({ team, messages }: Receiving, taken: readonly Row[]) {
  const threads = await rows("select * from threads where team_id = ?", team.id)
  const byId = new Map(taken.map((row) => [row.message_id, row]))
  const threadOf = (index: number) => byId.get(messages[index]?.messageId)?.thread_id
  const counts = Map.groupBy(taken, ({ thread_id }) => thread_id)
  return [
    ...messages.flatMap(({ answers, messageId, isDeleted }, index) =>
      isDeleted || answers === null || messages[answers]?.isDeleted
        ? []
        : threadOf(index) === threadOf(answers)
          ? []
          : [`${messageId} is in a thread of its own`],
    ),
    ...threads.flatMap(({ id, message_count }) => {
      const count = counts.get(id)?.length ?? 0
      return count === message_count ? [] : [`${id} counts ${message_count} messages, has ${count}`]
    }),
  ]
}

async function checkTold({ team, messages }: Receiving): Promise<string[]> {
  const events = await rows(
    `select data ->> '$.received.messageId' as id from events
     where team_id = ? and type = 'email.received'`,
    team.id,
  )
  const told = events.map(({ id }) => id).toSorted()
  const expected = messages.map(({ messageId }) => messageId).toSorted()
  return told.join() === expected.join() ? [] : [`no event, or one twice: ${told.join(" ")}`]
}

/** What a process left that died between the upload and the row. */
async function checkObjects({ excuses }: World, { team }: Receiving, taken: readonly Row[]) {
  const keys = await objectKeys(`received/${team.id}/`)
  const known = new Set(taken.flatMap(({ object_key }) => [object_key, `${object_key}.texts`]))
  const left = [...keys].filter((key) => !known.has(key))
  for (const _ of left) excuses.count("an upload that led to no email is left to the bucket's rule")
  return taken
    .filter(({ object_key }) => !keys.has(object_key))
    .map(({ id }) => `${id} lost its message`)
}

async function objectKeys(prefix: string): Promise<Set<string>> {
  const keys = new Set<string>()
  let cursor: string | undefined
  do {
    const page = await env.CONTENT.list({ prefix, ...(cursor && { cursor }) })
    for (const { key } of page.objects) keys.add(key)
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor)
  return keys
}
