import { inArray, lt, lte } from "drizzle-orm"
import type { Work } from "../env.ts"
import { firstIdAt, newId } from "../lib/id.ts"
import { DAY_MS } from "../lib/time.ts"
import { enqueue, type QueueMessage } from "./messages.ts"
import { deadLetters } from "./table.ts"

const REPLAYS_A_SWEEP = 100

/** Keeps what a queue gave up on, where a person finds it: `npm run dead-letters`. */
export async function keepDeadLetters(
  work: Work,
  messages: readonly Message<QueueMessage>[],
): Promise<void> {
  const [first, ...more] = messages.map(({ body }) => {
    console.error(JSON.stringify({ level: "error", deadLetter: true, queue: body.kind }))
    return work.db.insert(deadLetters).values({
      id: newId("deadLetter", work.now()),
      queue: body.kind,
      body,
      createdAt: work.now(),
    })
  })
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
export async function replayDeadLetters(work: Work): Promise<void> {
  const due = await work.db
    .select()
    .from(deadLetters)
    .where(lte(deadLetters.replayAt, work.now()))
    .limit(REPLAYS_A_SWEEP)
  if (due.length === 0) return
  for (const { body } of due) await enqueue(work.env, body)
  await work.db
    .update(deadLetters)
    .set({ replayAt: null, replayedAt: work.now() })
    .where(
      inArray(
        deadLetters.id,
        due.map(({ id }) => id),
      ),
    )
}
