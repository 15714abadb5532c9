import { and, eq, exists, sql } from "drizzle-orm"
import { isTaken, type Query } from "../db/client.ts"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { conflict, notFound } from "../http/errors.ts"
import { newId } from "../lib/id.ts"
import { canonicalJson } from "../lib/json.ts"
import { announceEvents, storeEvents, type TeamEvent } from "../webhooks/events.ts"
import { foundBook, selectBook } from "./books.ts"
import type * as contract from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { changeEvent, consentEvent } from "./events.ts"
import { nameKey, nameKeys } from "./names.ts"
import type { Contact } from "./shapes.ts"
import { type ContactRow, contacts } from "./table.ts"

export async function createContact(
  ctx: Ctx,
  bookId: string,
  input: InputOf<typeof contract.createContact>["json"],
): Promise<Contact> {
  const [[book]] = await ctx.batch([selectBook(ctx, bookId)])
  foundBook(book)
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
  await commit(ctx, row.email, changeEvent(ctx, "created", row), [
    moveCounts(
      ctx,
      team.id,
      sql`select ${bookId} as book_id, 1 as contacts, ${Number(row.subscribed)} as subscribed`,
    ),
    ctx.db.insert(contacts).values(row),
  ])
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
  const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
  const old = foundContact(row)
  const changed = differences(old, changes)
  if (Object.keys(changed).length === 0) return old
  const { firstName, lastName, subscribed } = changed
  const flips = subscribed !== undefined
  const fields = {
    ...changed,
    ...(firstName !== undefined && { firstKey: nameKey(firstName) }),
    ...(lastName !== undefined && { lastKey: nameKey(lastName) }),
    ...(flips && consent(ctx, subscribed)),
    updatedAt: ctx.now(),
  }
  const fresh = { ...old, ...fields } as ContactRow
  const event = flips ? consentEvent(ctx, fresh, old) : changeEvent(ctx, "updated", fresh)
  await commit(ctx, fresh.email, event, [
    moveCounts(
      ctx,
      old.teamId,
      sql`select book_id, 0 as contacts,
          ${flips ? sql`${Number(subscribed)} - subscribed` : sql`0`} as subscribed
        from contacts where ${isContact(ctx, bookId, id)}`,
    ),
    ctx.db
      .update(contacts)
      .set(fields)
      .where(isContact(ctx, bookId, id)),
  ])
  return fresh
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

/** What stands already is not written again: another call may have changed it meanwhile. */
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

/** The change and its event in one batch; an address that is in the book already undoes both. */
async function commit(
  ctx: Ctx,
  email: string,
  event: TeamEvent,
  change: [Query, Query],
): Promise<void> {
  try {
    await ctx.batch([...change, ...storeEvents(ctx, [event])])
  } catch (error) {
    throw isTaken(error) ? conflict(`${email} is in this book already.`) : error
  }
  ctx.defer(announceEvents(ctx, [event]))
}

const selectContact = (ctx: Ctx, bookId: string, id: string) =>
  ctx.db
    .select()
    .from(contacts)
    .where(and(isContact(ctx, bookId, id), exists(selectBook(ctx, bookId))))

const isContact = (ctx: Ctx, bookId: string, id: string) =>
  and(eq(contacts.teamId, ctx.team), eq(contacts.bookId, bookId), eq(contacts.id, id))

function foundContact(row: ContactRow | undefined): ContactRow {
  if (!row) throw notFound("Contact")
  return row
}
