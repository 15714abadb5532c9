import { and, eq, exists, getTableColumns, sql } from "drizzle-orm"
import { isTaken, type Queries, type Results } from "../db/client.ts"
import type { Ctx } from "../env.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import { storeEvent } from "../events/store.ts"
import type { InputOf } from "../http/endpoint.ts"
import { conflict, notFound } from "../http/errors.ts"
import { newId } from "../lib/id.ts"
import { canonicalJson } from "../lib/json.ts"
import { untilWon } from "../lib/rounds.ts"
import { foundBook, selectBook } from "./books.ts"
import type * as contract from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { nameKey, nameKeys } from "./names.ts"
import type { Contact } from "./shapes.ts"
import { type ContactRow, contacts, nextUpdate } from "./table.ts"

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
  const book = selectBook(ctx, bookId)
  const [[found], , , deliveries] = await commit(ctx, row.email, [
    book,
    moveCounts(
      ctx,
      team.id,
      sql`select ${bookId} as book_id, 1 as contacts, ${Number(row.subscribed)} as subscribed`,
    ),
    ...storeEvent(ctx, contactEvent(ctx, "created", row), exists(book)),
    ctx.db.insert(contacts).select(sql`select ${valuesOf(row)} where ${exists(book)}`),
  ])
  foundBook(found)
  ctx.defer(enqueueDeliveries(ctx, deliveries))
  return row
}

export async function getContact(ctx: Ctx, bookId: string, id: string): Promise<Contact> {
  const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
  return foundContact(row)
}

/** A change of consent tells only of that; a change of nothing tells of nothing. */
export async function updateContact(
  ctx: Ctx,
  bookId: string,
  id: string,
  changes: Changes,
): Promise<Contact> {
  let wanted = changes
  return untilWon(async () => {
    const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
    const old = foundContact(row)
    wanted = differences(old, wanted)
    return Object.keys(wanted).length === 0 ? old : change(ctx, old, wanted)
  })
}

/** Changes the contact as it was read; answers nothing when another call has changed it since. */
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
  const [, , deliveries, , updated] = await commit(ctx, fresh.email, [
    moveCounts(
      ctx,
      old.teamId,
      sql`select book_id, 0 as contacts, ${Number(fresh.subscribed)} - subscribed as subscribed
        from contacts where ${isAsRead}`,
    ),
    ...storeEvent(
      ctx,
      contactEvent(ctx, type, fresh),
      exists(ctx.db.select().from(contacts).where(isAsRead)),
    ),
    ctx.db.update(contacts).set(fields).where(isAsRead).returning({ id: contacts.id }),
  ])
  ctx.defer(enqueueDeliveries(ctx, deliveries))
  return updated.length > 0 ? fresh : undefined
}

export async function deleteContact(ctx: Ctx, bookId: string, id: string): Promise<undefined> {
  const [, deleted] = await ctx.batch([
    moveCounts(
      ctx,
      ctx.team,
      sql`select book_id, -1 as contacts, -subscribed as subscribed
        from contacts where ${isContact(ctx, bookId, id)}`,
    ),
    ctx.db
      .delete(contacts)
      .where(isContact(ctx, bookId, id))
      .returning({ id: contacts.id }),
  ])
  if (deleted.length === 0) throw notFound("Contact")
}

type Changes = InputOf<typeof contract.updateContact>["json"]

/** What stood already is not written again: another call may have changed it meanwhile. */
const differences = (old: ContactRow, changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([field, value]) => canonicalJson(value) !== canonicalJson(old[field as keyof Changes]),
    ),
  )

/** What a contact's record says of consent that was given or taken back now. */
const consent = (ctx: Ctx, subscribed: boolean) => ({
  subscribed,
  unsubscribeReason: null,
  unsubscribedAt: subscribed ? null : ctx.now(),
})

/** One batch: an address that is in the book already undoes it all. */
async function commit<Q extends Queries>(ctx: Ctx, email: string, queries: Q): Promise<Results<Q>> {
  try {
    return await ctx.batch(queries)
  } catch (error) {
    throw isTaken(error) ? conflict(`${email} is in this book already.`) : error
  }
}

/** In the order in which `insert ... select` names the columns. */
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

function foundContact(row: ContactRow | undefined): ContactRow {
  if (!row) throw notFound("Contact")
  return row
}
