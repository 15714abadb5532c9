import { and, desc, eq, lt, sql } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { notFound } from "../http/errors.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../http/page.ts"
import { newId } from "../lib/id.ts"
import type * as contract from "./contract.ts"
import type { ContactBook } from "./shapes.ts"
import { contactBooks, deletedBooks } from "./table.ts"

/** How many contacts of a deleted book go at a time. */
const CONTACTS_A_ROUND = 1_000
const BOOKS_A_SWEEP = 5
const ROUNDS = 10

export async function createContactBook(
  ctx: Ctx,
  input: InputOf<typeof contract.createContactBook>["json"],
): Promise<ContactBook> {
  const { team } = await ctx.caller()
  const [created] = await ctx.db
    .insert(contactBooks)
    .values({
      ...input,
      id: newId("contactBook", ctx.now()),
      teamId: team.id,
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    })
    .returning()
  return foundBook(created)
}

export async function listContactBooks(ctx: Ctx, query: PageQuery): Promise<Page<ContactBook>> {
  const below = readCursor("contactBook", query.cursor)
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(contactBooks)
      .where(and(eq(contactBooks.teamId, ctx.team), below ? lt(contactBooks.id, below) : undefined))
      .orderBy(desc(contactBooks.id))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}

export async function getContactBook(ctx: Ctx, id: string): Promise<ContactBook> {
  const [[book]] = await ctx.batch([selectBook(ctx, id)])
  return foundBook(book)
}

export async function updateContactBook(
  ctx: Ctx,
  id: string,
  changes: InputOf<typeof contract.updateContactBook>["json"],
): Promise<ContactBook> {
  const [[book]] = await ctx.batch([
    ctx.db
      .update(contactBooks)
      .set({ ...changes, updatedAt: ctx.now() })
      .where(isBook(ctx, id))
      .returning(),
  ])
  return foundBook(book)
}

/** The book is gone at once; of a big one most contacts are left to the sweep. */
export async function deleteContactBook(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const [, deleted] = await ctx.batch([
    ctx.db.run(sql`insert into deleted_books (team_id, id)
      select team_id, id from contact_books where ${isBook(ctx, id)}`),
    ctx.db.delete(contactBooks).where(isBook(ctx, id)).returning({ id: contactBooks.id }),
  ])
  if (deleted.length === 0) throw notFound("Contact book")
  await deleteContacts(ctx, { teamId: team.id, id })
}

/** Carries on where books were deleted and contacts of theirs are left. */
export async function sweepDeletedBooks(work: Work): Promise<void> {
  for (const book of await work.db.select().from(deletedBooks).limit(BOOKS_A_SWEEP)) {
    for (let round = 0; round < ROUNDS; round++) {
      if (await deleteContacts(work, book)) break
    }
  }
}

/** Deletes some of a deleted book's contacts, and says whether they were the last. */
async function deleteContacts(
  work: Work,
  { teamId, id }: { teamId: string; id: string },
): Promise<boolean> {
  const ofBook = sql`team_id = ${teamId} and book_id = ${id}`
  const [, finished] = await work.db.batch([
    work.db.run(sql`delete from contacts where ${ofBook} and id in
      (select id from contacts where ${ofBook} limit ${CONTACTS_A_ROUND})`),
    work.db.all(sql`delete from deleted_books where team_id = ${teamId} and id = ${id}
      and not exists (select 1 from contacts where ${ofBook}) returning id`),
  ])
  return finished.length > 0
}

export const selectBook = (ctx: Ctx, id: string) =>
  ctx.db.select().from(contactBooks).where(isBook(ctx, id))

const isBook = (ctx: Ctx, id: string) =>
  and(eq(contactBooks.teamId, ctx.team), eq(contactBooks.id, id))

export function foundBook<T>(book: T | undefined): T {
  if (book === undefined) throw notFound("Contact book")
  return book
}
