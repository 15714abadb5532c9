import { lt, lte, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { mapLimit } from "../lib/chunk.ts"
import { derivedId, firstIdAt } from "../lib/id.ts"
import { inRounds } from "../lib/rounds.ts"
import { DAY_MS } from "../lib/time.ts"
import { enqueueAll, type QueueMessage } from "./messages.ts"
import { deadLetters } from "./table.ts"

/** A letter has up to 128 KB, and each in R2 takes a request of an invocation's thousand. */
const ROUNDS = { rounds: 10, size: 50 }
/** A Worker has six connections open at once. */
const AT_ONCE = 5

const PREFIX = "dead-letters/"

interface Letter {
  message: QueueMessage
  createdAt: number
}

/** Keeps what a queue gave up on in R2: the database may be the reason why it did. */
export async function keepDeadLetters(
  work: Work,
  messages: readonly Message<unknown>[],
): Promise<void> {
  await mapLimit(messages, AT_ONCE, async ({ id, body }) => {
    const message = toQueueMessage(body)
    console.error(JSON.stringify({ level: "error", deadLetter: true, queue: message.kind }))
    const letter: Letter = { message, createdAt: work.now() }
    // By the message's id: a message that comes twice is one letter.
    await work.env.CONTENT.put(PREFIX + id, JSON.stringify(letter))
  })
}

/** Cloudflare's own reports share the queue of dead letters. */
const toQueueMessage = (body: unknown): QueueMessage =>
  typeof body === "object" && body !== null && "kind" in body
    ? (body as QueueMessage)
    : { kind: "outcomes", report: body }

/**
 * Empties R2: an outcome goes back into its queue once; what comes a second time, and every other
 * message, waits in the database for a person: `npm run dead-letters`.
 */
export const sweepDeadLetters = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const { objects } = await work.env.CONTENT.list({ prefix: PREFIX, limit: size })
    const letters = await mapLimit(objects, AT_ONCE, ({ key }) => readLetter(work, key))
    await moveLetters(
      work,
      letters.filter((letter) => letter !== null),
    )
    if (objects.length > 0) await work.env.CONTENT.delete(objects.map(({ key }) => key))
    return objects.length
  })

type StoredLetter = Letter & { key: string }

async function readLetter(work: Work, key: string): Promise<StoredLetter | null> {
  const object = await work.env.CONTENT.get(key)
  return object && { ...(await object.json<Letter>()), key }
}

async function moveLetters(work: Work, letters: readonly StoredLetter[]): Promise<void> {
  const { back = [], kept = [] } = Object.groupBy(letters, ({ message }) =>
    message.kind === "outcomes" && !message.replayed ? "back" : "kept",
  )
  await enqueueAll(
    work.env,
    back.map(({ message }) => ({ body: { ...message, replayed: true }, delaySeconds: 0 })),
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
  if (first) await work.db.batch([first, ...more])
}

/** A letter that nobody asked for is kept as long as the content of an email. */
export const purgeDeadLetters = (work: Work) =>
  work.db
    .delete(deadLetters)
    .where(
      lt(
        deadLetters.id,
        firstIdAt("deadLetter", work.now() - work.settings.CONTENT_RETENTION_DAYS * DAY_MS),
      ),
    )

/** Puts back into their queues the letters that a person asked for. */
export const replayDeadLetters = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const due = await work.db
      .select()
      .from(deadLetters)
      .where(lte(deadLetters.replayAt, work.now()))
      .limit(size)
    if (due.length === 0) return 0
    await enqueueAll(
      work.env,
      due.map(({ body }) => ({ body, delaySeconds: 0 })),
    )
    const ids = JSON.stringify(due.map(({ id }) => id))
    await work.db
      .update(deadLetters)
      .set({ replayAt: null, replayedAt: work.now() })
      .where(sql`${deadLetters.id} in (select value from json_each(${ids}))`)
    return due.length
  })
