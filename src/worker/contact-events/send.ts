import { createHash } from "node:crypto"
import { sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { canonicalJson } from "../../lib/json.ts"
import { untilWon } from "../../lib/until-won.ts"
import { choicesOf } from "../contacts/consents/choices.ts"
import { addContacts, type NewAddress } from "../contacts/create-many.ts"
import { contactBooks, contacts } from "../contacts/table.ts"
import type { Ctx } from "../platform/context.ts"
import { isTaken } from "../platform/db/client.ts"
import { insertInto } from "../platform/db/columns.ts"
import { afterCommit, commit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { ApiError, atIndex, notFound } from "../platform/http/errors.ts"
import { withStatus } from "../platform/http/route.ts"
import { enqueueNow } from "../platform/queues/messages.ts"
import { RUNS_ARE_DUE } from "../sequences/messages.ts"
import { enterByEvent } from "../sequences/runs/enter.ts"
import { sequenceRuns, sequences } from "../sequences/table.ts"
import type { EventInput } from "./contract.ts"
import { contactEvents } from "./table.ts"

interface NewEvent {
  id: string
  index: number
  name: string
  at: number
  properties: string
  email: string | null
  contactId: string | null
  bookId: string | null
  idempotencyKey: string | null
  fingerprint: string | null
}

const x = jsonFields<NewEvent>()

/** All or none. An address in several books counts in each. */
export const sendEvents = (ctx: Ctx, input: EventInput | EventInput[]) =>
  untilWon(() => storeEvents(ctx, input))

/** Answers nothing if another call has added one of the addresses meanwhile. */
async function storeEvents(ctx: Ctx, input: EventInput | EventInput[]) {
  const { team } = await ctx.caller()
  const inputs = Array.isArray(input) ? input : [input]
  const all = inputs.map((one, index) => toEvent(ctx, one, index))
  const firstOf = Map.groupBy(all, ({ id, idempotencyKey }) => idempotencyKey ?? id)
  const events = [...firstOf.values()].flatMap(([first]) => first ?? [])
  const refuse = (index: number, error: ApiError) => {
    throw Array.isArray(input) ? atIndex(index, error) : error
  }
  const differing = [...firstOf.values()].flatMap((same) =>
    same.filter(({ fingerprint }) => fingerprint !== same[0]?.fingerprint),
  )
  if (differing[0]) refuse(differing[0].index, otherEvent())
  const missing = await readMissing(ctx, team.id, events)
  // Each of the two look-ups has an index. With "or", SQLite reads the whole book.
  const isOfContact = sql`${contacts.teamId} = ${team.id}
    and ${contacts.bookId} = ${contactBooks.id}
    and ${contacts.id} = coalesce(${x.contactId}, (select ${contacts.id} from ${contacts}
      where ${contacts.teamId} = ${team.id} and ${contacts.bookId} = ${contactBooks.id}
        and ${contacts.email} = ${x.email}))`
  const contactsOf = (rows: readonly NewEvent[]) => sql`${jsonRows(rows)}
    cross join ${contactBooks} on ${contactBooks.teamId} = ${team.id}
      and (${x.bookId} is null or ${contactBooks.id} = ${x.bookId})
    cross join contacts on ${isOfContact}`
  const areKnown = (rows: readonly NewEvent[]) =>
    sql`(select count(distinct x.key) from ${contactsOf(rows)}) = ${rows.length}`
  const theirs = contactsOf(events)
  const isRepeated = sql`exists (select 1 from contact_events
    where ${contactEvents.teamId} = ${team.id} and ${contactEvents.idempotencyKey} = ${x.idempotencyKey})`
  const areSame = sql`not exists (select 1 from ${jsonRows(events)}
    cross join contact_events indexed by contact_events_key
    on ${contactEvents.teamId} = ${team.id} and ${contactEvents.idempotencyKey} = ${x.idempotencyKey}
      and ${contactEvents.fingerprint} <> ${x.fingerprint})`
  const others = events.filter(
    ({ email, bookId }) =>
      !missing.some((one) => one.email === email && (bookId ?? one.bookId) === one.bookId),
  )
  const answers = await commit(ctx, {
    added: await addContacts(ctx, team.id, missing, sql`${areKnown(others)} and ${areSame}`),
    found: ctx.db.all<{ position: number }>(
      sql`select distinct ${x.index} as position from ${theirs}`,
    ),
    before: ctx.db.all<{ key: string; id: string; fingerprint: string }>(sql`
      select distinct ${contactEvents.idempotencyKey} as key, ${contactEvents.id},
        ${contactEvents.fingerprint}
      from ${jsonRows(events)} cross join contact_events indexed by contact_events_key
        on ${contactEvents.teamId} = ${team.id} and ${contactEvents.idempotencyKey} = ${x.idempotencyKey}`),
    stored: ctx.db.run(
      insertInto(
        contactEvents,
        {
          teamId: team.id,
          contactId: contacts.id,
          id: x.id,
          name: x.name,
          at: x.at,
          properties: x.properties,
          idempotencyKey: x.idempotencyKey,
          fingerprint: x.fingerprint,
        },
        sql`from ${theirs} where ${areKnown(events)} and ${areSame} and not ${isRepeated}`,
      ),
    ),
    entered: enterByEvent(
      ctx,
      sql`${x.name}`,
      sql`${jsonRows(events)}
        cross join contact_events on ${contactEvents.teamId} = ${team.id} and ${contactEvents.id} = ${x.id}
        cross join ${contactBooks} on ${contactBooks.teamId} = ${team.id}
        cross join contacts on ${contacts.teamId} = ${team.id} and ${contacts.bookId} = ${contactBooks.id}
          and ${contacts.id} = ${contactEvents.contactId}`,
    ),
    // The other visit keeps out a move that was decided before.
    woken: afterCommit(
      ctx.db
        .update(sequenceRuns)
        .set({ dueAt: ctx.now(), visit: sql`${sequenceRuns.visit} + 1` })
        .where(
          sql`(${sequenceRuns.teamId}, ${sequenceRuns.id}) in (
            select ${sequenceRuns.teamId}, ${sequenceRuns.id} from ${jsonRows(events)}
            cross join contact_events on ${contactEvents.teamId} = ${team.id}
              and ${contactEvents.id} = ${x.id}
            cross join sequence_runs indexed by sequence_runs_contact on ${sequenceRuns.teamId} = ${team.id}
              and ${sequenceRuns.contactId} = ${contactEvents.contactId}
              and ${sequenceRuns.dueAt} is not null
            cross join sequences on ${sequences.teamId} = ${team.id}
              and ${sequences.id} = ${sequenceRuns.sequenceId}
              and (${sequenceRuns.waitsFor} = ${x.name} or ${sequences.goal} is not null))`,
        )
        .returning({ id: sequenceRuns.id }),
      (work, woken) => (woken.length > 0 ? enqueueNow(work.env, [RUNS_ARE_DUE]) : undefined),
    ),
  }).catch((error) => {
    if (missing.length === 0 || !isTaken(error)) throw error
  })
  if (!answers) return undefined
  const { found, before, stored } = answers
  const prior = new Map(before.map((one) => [one.key, one]))
  const ids = all.map((event) => {
    const { idempotencyKey: key, fingerprint } = event
    const first = key === null ? event : (prior.get(key) ?? firstOf.get(key)?.[0] ?? event)
    if (first.fingerprint !== fingerprint) refuse(event.index, otherEvent())
    return { id: first.id }
  })
  const isFound = new Set(found.map(({ position }) => position))
  const unknown = [...others, ...events].find(({ index }) => !isFound.has(index))
  if (unknown) refuse(unknown.index, notFound("Contact"))
  const body = Array.isArray(input) ? { data: ids } : (ids[0] as { id: string })
  return stored.meta.changes === 0 ? withStatus(200, body) : body
}

const otherEvent = () =>
  new ApiError("idempotency_conflict", "This idempotency key stands for another event.")

function toEvent(ctx: Ctx, input: EventInput, index: number): NewEvent {
  const { idempotencyKey = null, ...said } = input
  const at = input.at ?? ctx.now()
  return {
    id: newId("event", at),
    index,
    at,
    idempotencyKey,
    name: input.name,
    properties: JSON.stringify(input.properties),
    email: input.email ?? null,
    contactId: input.contactId ?? null,
    bookId: input.bookId ?? null,
    fingerprint:
      idempotencyKey === null
        ? null
        : createHash("sha256").update(canonicalJson(said)).digest("hex"),
  }
}

/** Addresses that are not in the books of their events yet: they are added, not subscribed. */
async function readMissing(
  { db }: Ctx,
  teamId: string,
  events: readonly NewEvent[],
): Promise<NewAddress[]> {
  const missing = await db.all<Record<keyof NewAddress, string>>(sql`
    select distinct ${x.email} as email, ${x.bookId} as bookId, ${choicesOf(teamId, x.email)} as topics
    from ${jsonRows(events)}
    cross join ${contactBooks} on ${contactBooks.teamId} = ${teamId} and ${contactBooks.id} = ${x.bookId}
    where ${x.email} is not null and not exists (select 1 from contacts
      where ${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${x.bookId}
        and ${contacts.email} = ${x.email})`)
  return missing.map((one) => ({ ...one, topics: JSON.parse(one.topics) }))
}
