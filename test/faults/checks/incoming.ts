import { env } from "cloudflare:workers"
import { mapLimit } from "../../../src/lib/chunk.ts"
import { MAX_ATTEMPTS } from "../../../src/worker/received/taking/claim.ts"
import type { Incoming, Receiving } from "../incoming.ts"
import type { World } from "../world.ts"
import { type Row, rows } from "./rows.ts"

const READ_AT_ONCE = 50

/** Each message once, byte for byte, with one thread, one event and nothing beside it. */
export async function checkIncoming(world: World, receiving: Receiving): Promise<string[]> {
  const { team, messages, refused } = receiving
  const taken = await rows("select * from received_emails where team_id = ?", team.id)
  const digests = await rows("select * from received_digests where team_id = ?", team.id)
  const byId = new Map(taken.map((row) => [row.id, row]))
  const idOf = new Map(digests.map(({ digest, received_id }) => [digest, received_id as string]))
  const rowOf = ({ digest }: Incoming) => byId.get(idOf.get(digest) ?? "")
  const wrongs = await mapLimit([...messages.entries()], READ_AT_ONCE, ([index, message]) =>
    checkMessage(world, `message ${index}`, message, rowOf(message)),
  )
  return [
    ...wrongs.flat(),
    ...refused.map((one) => `refused: ${one}`),
    ...(taken.length === messages.filter(({ isDeleted }) => !isDeleted).length
      ? []
      : [`${taken.length} messages are there`]),
    ...(await checkThreads(receiving, taken, rowOf)),
    ...(await checkTold(
      receiving,
      messages.map(({ digest }) => idOf.get(digest)),
    )),
    ...(await checkObjects(world, receiving, taken)),
  ]
}

async function checkMessage(
  { excuses }: World,
  name: string,
  { bytes, isDeleted }: Incoming,
  row: Row | undefined,
): Promise<string[]> {
  if (!row || isDeleted) return !row === isDeleted ? [] : [`${name} is lost, or not deleted`]
  const object = await env.CONTENT.get(row.object_key)
  const kept = object && new Uint8Array(await object.arrayBuffer())
  if (!kept || Buffer.compare(kept, bytes) !== 0) return [`${name} is not as it came`]
  if (row.parsed === 1) return []
  if (row.attempts <= MAX_ATTEMPTS) return [`${name} is not parsed: ${row.parsed}`]
  excuses.count("a message is kept unread: each process that read it has died")
  return []
}

async function checkThreads(
  { team, messages }: Receiving,
  taken: readonly Row[],
  rowOf: (message: Incoming) => Row | undefined,
) {
  const threads = await rows("select * from threads where team_id = ?", team.id)
  const counts = Map.groupBy(taken, ({ thread_id }) => thread_id)
  return [
    ...messages.flatMap((message, index) => {
      const answered = message.answers === null ? undefined : messages[message.answers]
      const [own, first] = [rowOf(message), answered && rowOf(answered)]
      const areRead = own?.parsed === 1 && first?.parsed === 1
      return areRead && own.thread_id !== first.thread_id
        ? [`message ${index} is in a thread of its own`]
        : []
    }),
    ...threads.flatMap(({ id, message_count }) => {
      const count = counts.get(id)?.length ?? 0
      return count === message_count ? [] : [`${id} counts ${message_count} messages, has ${count}`]
    }),
  ]
}

async function checkTold({ team }: Receiving, ids: readonly (string | undefined)[]) {
  const events = await rows(
    `select data ->> '$.received.id' as id from events
     where team_id = ? and type = 'email.received'`,
    team.id,
  )
  const told = events.map(({ id }) => id).toSorted()
  return told.join() === ids.toSorted().join()
    ? []
    : [`no event, or one twice: told ${told.length}, expected ${ids.length}`]
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
