import { and, eq, exists, getTableColumns, type SQL, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { canonicalJson } from "../../lib/json.ts"
import { untilWon } from "../../lib/until-won.ts"
import type { Ctx } from "../platform/context.ts"
import { isTaken, namedBatch } from "../platform/db/client.ts"
import { commit, type Statement } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../platform/http/errors.ts"
import { enterSubscribed } from "../sequences/enter.ts"
import { areKnown, selectKnown } from "../topics/known.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import { confirmations } from "./confirmation/table.ts"
import {
  mergeChoices,
  readChoices,
  refuseUnknown,
  selectChoices,
  strictest,
  toChoices,
} from "./consents/choices.ts"
import {
  type ConsentActor,
  consentActor,
  consentEntries,
  OTHER_BOOK,
  withEntries,
} from "./consents/consents.ts"
import { keepRefusal } from "./consents/refusals.ts"
import type * as contract from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { nameKey, nameKeys } from "./search.ts"
import type { Contact } from "./shapes.ts"
import { type ContactRow, c, contactColumns, contacts, nextUpdate } from "./table.ts"

const NOUN = "Contact"

export const createContact = (
  ctx: Ctx,
  bookId: string,
  input: Omit<NewContact, "confirm">,
): Promise<Contact> => untilWon(() => createContactIf(ctx, bookId, input))

interface Creation {
  condition?: SQL
  /** The caller, unless it says so. */
  actor?: ConsentActor
  /** The contact is not subscribed until the person confirms. */
  isPending?: boolean
  /** More statements for the batch, which write if the condition holds. */
  alongside?: (row: ContactRow, condition: SQL) => readonly Statement[]
}

/**
 * Answers nothing if the condition does not hold, or if the address has made a choice since its
 * choices were read.
 */
export async function createContactIf(
  ctx: Ctx,
  bookId: string,
  input: Omit<NewContact, "confirm">,
  { condition = sql`true`, actor, isPending = false, alongside = () => [] }: Creation = {},
): Promise<ContactRow | undefined> {
  const ids = Object.keys(input.topics)
  const { choices, known } = await namedBatch(ctx, {
    choices: selectChoices(ctx, ctx.team, input.email),
    known: selectKnown(ctx, ctx.team, ids),
  })
  const { team } = await ctx.caller()
  const elsewhere = toChoices(ctx, team.id, input.email, choices[0])
  const row: ContactRow = {
    ...input,
    ...nameKeys(input),
    ...consent(ctx, input.subscribed),
    ...(isPending && { subscribed: false, unsubscribedAt: null }),
    confirmation: isPending ? "pending" : null,
    confirmedAt: null,
    topics: { ...elsewhere.topics, ...input.topics },
    teamId: team.id,
    bookId,
    id: newId("contact", ctx.now()),
    createdAt: ctx.now(),
    updatedAt: ctx.now(),
  }
  const consents = [
    ...consentEntries(
      row.createdAt,
      actor ?? (await consentActor(ctx)),
      isPending ? { subscribed: input.subscribed, topics: {} } : undefined,
      input,
    ),
    ...consentEntries(row.createdAt, OTHER_BOOK, input, row),
  ]
  const isThere = sql`(${exists(selectBook(ctx, bookId))} and ${areKnown(team.id, ids)}
    and ${elsewhere.areAsRead} and ${condition})`
  const { book, created } = await commit(ctx, {
    book: selectBook(ctx, bookId),
    counts: moveCounts(
      ctx,
      team.id,
      sql`select ${bookId} as book_id, 1 as contacts, ${Number(row.subscribed)} as subscribed
        where ${isThere}`,
    ),
    events: storeEvents(ctx, [contactEvent(ctx, isPending ? "pending" : "created", row)], isThere),
    alongside: alongside(row, isThere),
    created: ctx.db
      .insert(contacts)
      .select(sql`select ${valuesOf({ ...row, consents })} where ${isThere}`)
      .returning({ id: contacts.id }),
    entered: row.subscribed ? [enterSubscribed(ctx, isNow(row))] : [],
  }).catch(refuseTaken(row.email))
  bookOrNotFound(book[0])
  refuseUnknown(ids, known)
  return created.length > 0 ? row : undefined
}

export async function getContact(ctx: Ctx, bookId: string, id: string): Promise<Contact> {
  const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
  return orNotFound(row, NOUN)
}

/**
 * A change of consent has its own event. A call that changes nothing has none. `changesOf` answers
 * more changes, which depend on the contact as it is.
 */
export async function updateContact(
  ctx: Ctx,
  bookId: string,
  id: string,
  changes: Changes,
  changesOf: (contact: Contact) => Changes = () => ({}),
): Promise<Contact> {
  let wanted = changes
  return untilWon(async () => {
    const ids = chosenIn(wanted)
    const { row, known } = await namedBatch(ctx, {
      row: selectContact(ctx, bookId, id),
      known: selectKnown(ctx, ctx.team, ids),
    })
    const old = orNotFound(row[0], NOUN)
    refuseUnknown(ids, known)
    wanted = differences(old, { ...wanted, ...changesOf(old) })
    return Object.keys(wanted).length === 0 ? old : change(ctx, old, wanted)
  })
}

/** Answers nothing if another call has changed the contact since it was read. */
async function change(
  ctx: Ctx,
  old: ContactRow,
  changed: Changes,
): Promise<ContactRow | undefined> {
  const { firstName, lastName, subscribed, topics } = changed
  const flips = subscribed !== undefined
  if (subscribed && old.confirmation === "pending") throw waitsForPerson()
  const theirs = await readChoices(ctx, old.teamId, changed.email)
  const fields = {
    ...changed,
    ...(firstName !== undefined && { firstKey: nameKey(firstName) }),
    ...(lastName !== undefined && { lastKey: nameKey(lastName) }),
    ...(flips && consent(ctx, subscribed)),
    ...((changed.email !== undefined || (flips && old.confirmation === "pending")) && {
      ...{ confirmation: null, confirmedAt: null },
    }),
    topics: mergeChoices(strictest([old.topics, theirs.topics]), topics ?? {}),
    updatedAt: nextUpdate(ctx, [old]),
  }
  const fresh = { ...old, ...fields } as ContactRow
  const before = flips ? { ...old, subscribed: !subscribed } : old
  const entries = consentEntries(fresh.updatedAt, await consentActor(ctx), before, fresh)
  const isAsRead = and(
    isListed(ctx, old.bookId, old.id),
    eq(contacts.updatedAt, old.updatedAt),
    areKnown(ctx.team, chosenIn(changed)),
    theirs.areAsRead,
  )
  const type = flips ? (subscribed ? "resubscribed" : "unsubscribed") : "updated"
  const { updated } = await commit(ctx, {
    counts: moveCounts(
      ctx,
      old.teamId,
      sql`select ${contacts.bookId}, 0 as contacts,
          ${Number(fresh.subscribed)} - ${contacts.subscribed} as subscribed
        from ${contacts} where ${isAsRead}`,
    ),
    events: storeEvents(
      ctx,
      [contactEvent(ctx, type, fresh)],
      exists(ctx.db.select().from(contacts).where(isAsRead)),
    ),
    updated: ctx.db
      .update(contacts)
      .set({ ...fields, ...(entries.length > 0 && { consents: withEntries(entries) }) })
      .where(isAsRead)
      .returning({ id: contacts.id }),
    entered: flips && subscribed ? [enterSubscribed(ctx, isNow(fresh))] : [],
  }).catch(refuseTaken(fresh.email))
  return updated.length > 0 ? fresh : undefined
}

export async function deleteContact(ctx: Ctx, bookId: string, id: string): Promise<undefined> {
  orNotFound(await deleteContactIf(ctx, bookId, id, sql`true`), NOUN)
}

/** Answers nothing if there is no such contact, or if the condition does not hold. */
export async function deleteContactIf(ctx: Ctx, bookId: string, id: string, condition: SQL) {
  const [[old]] = await ctx.batch([selectContact(ctx, bookId, id)])
  if (!old) return undefined
  const isMeant = sql`(${and(isListed(ctx, bookId, id), condition)})`
  const { deleted } = await commit(ctx, {
    counts: moveCounts(
      ctx,
      ctx.team,
      sql`select ${contacts.bookId}, -1 as contacts, -${contacts.subscribed} as subscribed
        from ${contacts} where ${isMeant}`,
    ),
    refusal: keepRefusal(ctx, bookId, old.email, isMeant),
    confirmations: ctx.db
      .delete(confirmations)
      .where(
        and(
          eq(confirmations.teamId, ctx.team),
          eq(confirmations.bookId, bookId),
          eq(confirmations.contactId, id),
          exists(ctx.db.select({ id: contacts.id }).from(contacts).where(isMeant)),
        ),
      ),
    deleted: ctx.db.delete(contacts).where(isMeant).returning({ id: contacts.id }),
  })
  return deleted[0]
}

/** A condition on `c`: the contact, as this batch has stored it. */
const isNow = ({ teamId, bookId, id, updatedAt }: ContactRow) =>
  sql`${c.teamId} = ${teamId} and ${c.bookId} = ${bookId} and ${c.id} = ${id}
    and ${c.updatedAt} = ${updatedAt}`

type NewContact = InputOf<typeof contract.createContact>["json"]
type Changes = InputOf<typeof contract.updateContact>["json"]

const chosenIn = ({ topics = {} }: Changes) => Object.keys(topics)

/** Unchanged fields are not written: another call may have changed them since. */
const differences = (old: ContactRow, changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).filter(([field, value]) => {
      const before = old[field as keyof Changes]
      if (field === "subscribed" && old.confirmation === "pending") return true
      const after = field === "topics" ? mergeChoices(old.topics, changes.topics ?? {}) : value
      return canonicalJson(after) !== canonicalJson(before)
    }),
  )

/** The columns of consent that is given or withdrawn now. */
const consent = (ctx: Ctx, subscribed: boolean) => ({
  subscribed,
  unsubscribeReason: null,
  unsubscribedAt: subscribed ? null : ctx.now(),
})

const waitsForPerson = () =>
  conflict("The contact is pending: only the person's own confirmation subscribes it.")

/** The batch has stored nothing if the address is in the book already. */
const refuseTaken = (email: string) => (error: unknown) => {
  throw isTaken(error) ? conflict(`${email} is in this book already.`) : error
}

/** In the order of the columns that drizzle names in `insert ... select`. */
const valuesOf = (row: typeof contacts.$inferInsert) =>
  sql.join(
    Object.entries(getTableColumns(contacts)).flatMap(([name, column]) =>
      column.generated ? [] : sql.param(row[name as keyof typeof row], column),
    ),
    sql`, `,
  )

const selectContact = (ctx: Ctx, bookId: string, id: string) =>
  ctx.db
    .select(contactColumns)
    .from(contacts)
    .where(isListed(ctx, bookId, id))

/** In a book that is not deleted. */
export const isListed = (ctx: Ctx, bookId: string, id: string) =>
  and(isContact(ctx, bookId, id), exists(selectBook(ctx, bookId)))

export const isContact = (ctx: Ctx, bookId: string, id: string) =>
  and(eq(contacts.teamId, ctx.team), eq(contacts.bookId, bookId), eq(contacts.id, id))
