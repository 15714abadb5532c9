import { and, eq, type SQL, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { readTexts, type Texts } from "../erasure/read-texts.ts"
import { erasures } from "../erasure/table.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { rewriteEvents } from "../webhooks/events/rewrite.ts"
import { events } from "../webhooks/events/table.ts"
import { deleteReceived } from "./delete.ts"
import { eventIdOf } from "./event-data.ts"
import { receivedEmails, threads } from "./table.ts"

const ROUNDS = { rounds: 4, size: 1 }

/** An id of a thread is above it: then all mail was read. */
const THREADS_FROM = "thr_"

interface Address {
  teamId: string
  email: string
}

interface Part {
  texts: Texts
  condition(email: string): SQL
  erase(work: Work, address: Address, ids: string[]): Promise<void>
}

const named = (column: SQL, email: string) => sql`instr(${column}, ${JSON.stringify(email)}) > 0`

const { sender, envelopeFrom, envelopeTo, details } = receivedEmails
const MAIL: Part = {
  texts: {
    table: receivedEmails,
    columns: [sender, envelopeFrom, envelopeTo, details],
    isLarge: true,
  },
  condition: (email) => sql`(${email} in (${envelopeFrom}, ${envelopeTo})
    or ${named(sql`${sender}`, email)} or ${named(sql`${details}`, email)})`,
  erase: eraseMail,
}
const THREADS: Part = {
  texts: { table: threads, columns: [threads.participants] },
  condition: (email) => named(sql`${threads.participants}`, email),
  erase: eraseParticipant,
}

/**
 * Deletes received mail from and to an address, and takes it out of threads. No index has the address, so
 * an erasure reads all mail of the team, some in each sweep. Answers whether it came to the end.
 */
export const eraseReceived = (work: Work, teamId: string, email: string): Promise<boolean> =>
  inRounds(ROUNDS, async () => {
    const ofAddress = and(eq(erasures.teamId, teamId), eq(erasures.email, email))
    const [asked] = await work.db
      .select({ position: erasures.receivedPosition })
      .from(erasures)
      .where(ofAddress)
    if (!asked) return []
    const part = asked.position < THREADS_FROM ? MAIL : THREADS
    const { rows, last } = await readTexts(work.db, part.texts, {
      teamId,
      after: [asked.position],
      condition: part.condition(email),
    })
    const ids = rows.flatMap(({ key }) => key)
    if (ids.length > 0) await part.erase(work, { teamId, email }, ids)
    if (last === null && part === THREADS) return []
    const receivedPosition = last?.[0] ?? THREADS_FROM
    await work.db.update(erasures).set({ receivedPosition }).where(ofAddress)
    return [receivedPosition]
  })

async function eraseMail(work: Work, { teamId, email }: Address, ids: string[]): Promise<void> {
  const { id, objectKey, threadId, createdAt } = receivedEmails
  const found = await work.db
    .select({ id, objectKey, threadId, createdAt })
    .from(receivedEmails)
    .where(and(eq(receivedEmails.teamId, teamId), isOneOf(id, ids)))
  const told = await work.db
    .select({
      id: events.id,
      sequence: events.sequence,
      createdAt: events.createdAt,
      before: sql<string>`${events.data}`,
      received: sql<string>`${events.data} ->> '$.received.id'`,
    })
    .from(events)
    .where(and(eq(events.teamId, teamId), isOneOf(events.id, found.map(eventIdOf))))
  const rewritten = told.map(({ received, ...event }) => ({
    ...event,
    data: { received: { id: received, from: { email: erasedForm(work.settings, email) } } },
  }))
  await commit(work, rewriteEvents(work, teamId, rewritten))
  await deleteReceived(work, teamId, found)
}

async function eraseParticipant(work: Work, { teamId, email }: Address, ids: string[]) {
  const others = sql`(
    select json_group_array(json(value)) from json_each(${threads.participants})
    where value ->> 'email' <> ${email})`
  await work.db
    .update(threads)
    .set({ participants: others })
    .where(and(eq(threads.teamId, teamId), isOneOf(threads.id, ids)))
}
