import { and, eq, exists, getTableColumns, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { canonicalJson } from "../../lib/json.ts"
import { untilWon } from "../../lib/rounds.ts"
import type { Ctx } from "../platform/context.ts"
import { isTaken } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../platform/http/errors.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import type * as contract from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { nameKey, nameKeys } from "./search.ts"
import type { Contact } from "./shapes.ts"
import { type ContactRow, contacts, nextUpdate } from "./table.ts"

const NOUN = "Contact"

export async function createContact(
  ctx: Ctx,
  bookId: string,
  input: InputOf<typeof contract.createContact>["json"],
): Promise<Contact> {
  const { team } = await ctx.caller()
  const row: ContactRow = {
    ...input,
    ...nameKeys(input),
    ...consent(ctx, input.subscribed),
    teamId: team.id,
    bookId,
    id: newId("contact", ctx.now()),
    createdAt: ctx.now(),
    updatedAt: ctx.now(),
  }
  const isThere = exists(selectBook(ctx, bookId))
  const { book } = await commit(ctx, {
    book: selectBook(ctx, bookId),
    counts: moveCounts(
      ctx,
      team.id,
      sql`select ${bookId} as book_id, 1 as contacts, ${Number(row.subscribed)} as subscribed`,
    ),
    events: storeEvents(ctx, [contactEvent(ctx, "created", row)], isThere),
    contact: ctx.db.insert(contacts).select(sql`select ${valuesOf(row)} where ${isThere}`),
  }).catch(refuseTaken(row.email))
  bookOrNotFound(book[0])
  return row
}

export async function getContact(ctx: Ctx, bookId: string, id: string): Promise<Contact> {
  const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
  return orNotFound(row, NOUN)
}

/** A change of consent has its own event. A call that changes nothing has none. */
export async function updateContact(
  ctx: Ctx,
  bookId: string,
  id: string,
  changes: Changes,
): Promise<Contact> {
  let wanted = changes
  return untilWon(async () => {
    const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
    const old = orNotFound(row, NOUN)
    wanted = differences(old, wanted)
    return Object.keys(wanted).length === 0 ? old : change(ctx, old, wanted)
  })
}

/** Answers nothing if another call has changed the contact since it was read. */
async function change(
  ctx: Ctx,
  old: ContactRow,
  changed: Changes,
): Promise<ContactRow | undefined> {
  const { firstName, lastName, subscribed } = changed
  const flips = subscribed !== undefined
  const fields = {
    ...changed,
    ...(firstName !== undefined && { firstKey: nameKey(firstName) }),
    ...(lastName !== undefined && { lastKey: nameKey(lastName) }),
    ...(flips && consent(ctx, subscribed)),
    updatedAt: nextUpdate(ctx, [old]),
  }
  const fresh = { ...old, ...fields } as ContactRow
  const isAsRead = and(isListed(ctx, old.bookId, old.id), eq(contacts.updatedAt, old.updatedAt))
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
    updated: ctx.db.update(contacts).set(fields).where(isAsRead).returning({ id: contacts.id }),
  }).catch(refuseTaken(fresh.email))
  return updated.length > 0 ? fresh : undefined
}

export async function deleteContact(ctx: Ctx, bookId: string, id: string): Promise<undefined> {
  const { deleted } = await commit(ctx, {
    counts: moveCounts(
      ctx,
      ctx.team,
      sql`select ${contacts.bookId}, -1 as contacts, -${contacts.subscribed} as subscribed
        from ${contacts} where ${isContact(ctx, bookId, id)}`,
    ),
    deleted: ctx.db
      .delete(contacts)
      .where(isContact(ctx, bookId, id))
      .returning({ id: contacts.id }),
  })
  orNotFound(deleted[0], NOUN)
}

type Changes = InputOf<typeof contract.updateContact>["json"]

/** Unchanged fields are not written: another call may have changed them since. */
const differences = (old: ContactRow, changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([field, value]) => canonicalJson(value) !== canonicalJson(old[field as keyof Changes]),
    ),
  )

/** The columns of consent that is given or withdrawn now. */
const consent = (ctx: Ctx, subscribed: boolean) => ({
  subscribed,
  unsubscribeReason: null,
  unsubscribedAt: subscribed ? null : ctx.now(),
})

/** The batch has stored nothing if the address is in the book already. */
const refuseTaken = (email: string) => (error: unknown) => {
  throw isTaken(error) ? conflict(`${email} is in this book already.`) : error
}

/** In the order of the columns that drizzle names in `insert ... select`. */
const valuesOf = (row: ContactRow) =>
  sql.join(
    Object.entries(getTableColumns(contacts)).flatMap(([name, column]) =>
      column.generated ? [] : sql.param(row[name as keyof ContactRow], column),
    ),
    sql`, `,
  )

const selectContact = (ctx: Ctx, bookId: string, id: string) =>
  ctx.db
    .select()
    .from(contacts)
    .where(isListed(ctx, bookId, id))

/** In a book that is not deleted. */
const isListed = (ctx: Ctx, bookId: string, id: string) =>
  and(isContact(ctx, bookId, id), exists(selectBook(ctx, bookId)))

const isContact = (ctx: Ctx, bookId: string, id: string) =>
  and(eq(contacts.teamId, ctx.team), eq(contacts.bookId, bookId), eq(contacts.id, id))
