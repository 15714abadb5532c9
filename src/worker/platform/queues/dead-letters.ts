import { lt, lte, sql } from "drizzle-orm"
import { mapLimit } from "../../../lib/chunk.ts"
import { derivedId, firstIdAt } from "../../../lib/id.ts"
import { readJson } from "../../../lib/json.ts"
import { log, logError } from "../../../lib/log.ts"
import { inRounds } from "../../../lib/rounds.ts"
import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../context.ts"
import type { Query } from "../db/client.ts"
import { jsonFields, jsonRows } from "../db/json-rows.ts"
import { enqueueNow, type QueueMessage } from "./messages.ts"
import { deadLetters } from "./table.ts"

/** A letter has up to 128 KB and takes one of an invocation's thousand requests. */
const ROUNDS = { rounds: 10, size: 50 }
/** A Worker has six connections open at once. */
const AT_ONCE = 5

const PREFIX = "dead-letters/"
const UNREADABLE_PREFIX = "unreadable-letters/"

/** Notes in the same batch that a person has to look at letters. */
type NoteLetters = (work: Work, count: number) => Query

interface DeadLetter {
  message: QueueMessage
  createdAt: number
}

/** Keeps the messages that a queue gave up on. They go to R2, since the database may be at fault. */
export async function keepDeadLetters(
  work: Work,
  messages: readonly Message<unknown>[],
): Promise<void> {
  await mapLimit(messages, AT_ONCE, async ({ id, timestamp, body }) => {
    const message = toQueueMessage(body)
    log("error", { deadLetter: true, queue: message.kind })
    // With the message's own id and time, a message that comes twice is one letter.
    const letter: DeadLetter = { message, createdAt: timestamp.getTime() }
    await work.env.CONTENT.put(PREFIX + id, JSON.stringify(letter))
  })
}

/** Events of Cloudflare Email Service share the queue of dead letters. */
const toQueueMessage = (body: unknown): QueueMessage =>
  typeof body === "object" && body !== null && "kind" in body
    ? (body as QueueMessage)
    : ({ kind: "outcomes", report: body } as QueueMessage)

/**
 * Empties R2. An outcome goes back into its queue once. A second time, and for every other message,
 * the letter waits in the database for a person: `npm run dead-letters`.
 */
export const sweepDeadLetters = (work: Work, noteLetters: NoteLetters) =>
  inRounds(ROUNDS, async (size, last?: R2Object) => {
    const options = { prefix: PREFIX, limit: size, ...(last && { startAfter: last.key }) }
    const { objects } = await work.env.CONTENT.list(options)
    const read = await mapLimit(objects, AT_ONCE, ({ key }) => readLetter(work, key))
    const letters = read.flatMap(({ letter }) => letter ?? [])
    await moveLetters(work, letters, noteLetters)
    const done = read.flatMap(({ key, isDone }) => (isDone ? [key] : []))
    if (done.length > 0) await work.env.CONTENT.delete(done)
    return objects
  })

type StoredLetter = DeadLetter & { key: string }

interface ReadLetter {
  key: string
  /** False for an object that the bucket does not answer: the next sweep reads it again. */
  isDone: boolean
  letter: StoredLetter | null
}

/** Other letters do not wait for one that cannot be read. */
async function readLetter(work: Work, key: string): Promise<ReadLetter> {
  try {
    const object = await work.env.CONTENT.get(key)
    const text = (await object?.text()) ?? null
    const letter = text === null ? null : toLetter(text)
    if (text !== null && !letter) await setAside(work, key, text)
    return { key, isDone: true, letter: letter && { ...letter, key } }
  } catch (error) {
    logError(error, { deadLetter: true })
    return { key, isDone: false, letter: null }
  }
}

function toLetter(text: string): DeadLetter | null {
  const letter = readJson(text) as Partial<DeadLetter> | null | undefined
  const { message, createdAt } = letter ?? {}
  return message?.kind && Number.isSafeInteger(createdAt) ? (letter as DeadLetter) : null
}

async function setAside(work: Work, key: string, text: string): Promise<void> {
  log("error", { unreadableLetter: key })
  await work.env.CONTENT.put(UNREADABLE_PREFIX + key.slice(PREFIX.length), text)
}

async function moveLetters(
  work: Work,
  letters: readonly StoredLetter[],
  noteLetters: NoteLetters,
): Promise<void> {
  const { back = [], kept = [] } = Object.groupBy(letters, ({ message }) =>
    message.kind === "outcomes" && !message.replayed ? "back" : "kept",
  )
  await enqueueNow(
    work.env,
    back.map(({ message }) => ({ ...message, replayed: true })),
  )
  const [first, ...more] = kept.map(({ key, message, createdAt }) =>
    work.db
      .insert(deadLetters)
      .values({
        id: derivedId("deadLetter", createdAt, key),
        queue: message.kind,
        body: message,
        createdAt,
      })
      .onConflictDoNothing(),
  )
  if (!first) return
  await work.db.batch([first, ...more, noteLetters(work, kept.length)])
}

/** A letter is kept as long as the content of an email. */
export const purgeDeadLetters = (work: Work) =>
  work.db
    .delete(deadLetters)
    .where(
      lt(
        deadLetters.id,
        firstIdAt("deadLetter", work.now() - work.settings.CONTENT_RETENTION_DAYS * DAY_MS),
      ),
    )

interface Replayed {
  id: string
  replayAt: number | null
}
const x = jsonFields<Replayed>()

/** Puts the letters that a person asked for back into their queues. Who asks again gets them again. */
export const replayDeadLetters = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await work.db
      .select()
      .from(deadLetters)
      .where(lte(deadLetters.replayAt, work.now()))
      .limit(size)
    if (due.length === 0) return []
    await enqueueNow(
      work.env,
      due.map(({ body }) => body),
    )
    const replayed: Replayed[] = due.map(({ id, replayAt }) => ({ id, replayAt }))
    await work.db
      .update(deadLetters)
      .set({ replayAt: null, replayedAt: work.now() })
      .where(
        sql`(${deadLetters.id}, ${deadLetters.replayAt}) in (
          select ${x.id}, ${x.replayAt} from ${jsonRows(replayed)})`,
      )
    return due
  })
