import { and, eq, exists, inArray, isNull, notExists, or, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { assertMaySendAs } from "../access/may-send-from.ts"
import { forms } from "../forms/table.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { segments } from "../segments/table.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { confirmations } from "./confirmation/table.ts"
import type * as contract from "./contract.ts"
import type { ContactBook } from "./shapes.ts"
import { contactBooks, contactRefusals, contacts, deletedBooks } from "./table.ts"

/** How many contacts of a deleted book one round deletes. */
const CONTACTS_A_ROUND = 1_000
const BOOKS_A_SWEEP = 5
const ROUNDS = 10

export async function createContactBook(
  ctx: Ctx,
  input: InputOf<typeof contract.createContactBook>["json"],
): Promise<ContactBook> {
  const { team } = await ctx.caller()
  await assertMaySendAs(ctx, input.defaultFrom)
  const now = ctx.now()
  const id = newId("contactBook", now)
  const times = { createdAt: now, updatedAt: now }
  const { created } = await commit(ctx, {
    created: ctx.db
      .insert(contactBooks)
      .values({ ...input, ...times, id, teamId: team.id })
      .returning(),
    audit: await auditEntry(ctx, "contactBooks.create", { id, label: input.name }),
  })
  return bookOrNotFound(created[0])
}

export const listContactBooks = (ctx: Ctx, query: PageQuery): Promise<Page<ContactBook>> =>
  listRecords(ctx, contactBooks, "contactBook", query)

export async function getContactBook(ctx: Ctx, id: string): Promise<ContactBook> {
  const [[book]] = await ctx.batch([selectBook(ctx, id)])
  return bookOrNotFound(book)
}

export async function readContactBooks(ctx: Ctx, ids: readonly string[]): Promise<ContactBook[]> {
  const [books] = await ctx.batch([
    ctx.db
      .select()
      .from(contactBooks)
      .where(and(eq(contactBooks.teamId, ctx.team), isOneOf(contactBooks.id, ids))),
  ])
  return books
}

/** The book with this id, or else the oldest one with this name. */
export async function findContactBook(
  ctx: Ctx,
  id: string,
  name: string,
): Promise<ContactBook | undefined> {
  const [books] = await ctx.batch([
    ctx.db
      .select()
      .from(contactBooks)
      .where(
        and(
          eq(contactBooks.teamId, ctx.team),
          or(eq(contactBooks.id, id), eq(contactBooks.name, name)),
        ),
      )
      .orderBy(sql`${contactBooks.id} <> ${id}`, contactBooks.id)
      .limit(1),
  ])
  return books[0]
}

/** Makes a book with an id of the caller's, unless the team has it or its contacts are being deleted. */
export async function ensureContactBook(ctx: Ctx, id: string, name: string): Promise<void> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const isDeleted = and(eq(deletedBooks.teamId, team.id), eq(deletedBooks.id, id))
  await ctx.db.run(
    insertInto(
      contactBooks,
      { teamId: team.id, id, name, createdAt: now, updatedAt: now },
      sql`where not exists (select 1 from ${deletedBooks} where ${isDeleted}) on conflict do nothing`,
    ),
  )
}

export async function updateContactBook(
  ctx: Ctx,
  id: string,
  changes: InputOf<typeof contract.updateContactBook>["json"],
): Promise<ContactBook> {
  await assertMaySendAs(ctx, changes.defaultFrom ?? null)
  const { updated, found } = await commit(ctx, {
    updated: ctx.db
      .update(contactBooks)
      .set({ ...changes, updatedAt: ctx.now() })
      .where(
        and(isBook(ctx, id), changes.defaultFrom === null ? needsNoSender(ctx, id) : undefined),
      )
      .returning(),
    audit: await auditEntry(ctx, "contactBooks.update", { id }),
    found: selectBook(ctx, id),
  })
  bookOrNotFound(found[0])
  if (!updated[0]) throw conflict("The book has forms, whose mail needs a sender.")
  return updated[0]
}

/** A condition: the book has no sender, or no form that asks people by mail. */
const needsNoSender = (ctx: Ctx, id: string) =>
  or(
    isNull(contactBooks.defaultFrom),
    notExists(
      ctx.db
        .select({ id: forms.id })
        .from(forms)
        .where(and(eq(forms.teamId, ctx.team), eq(forms.bookId, id))),
    ),
  )

/** Deletes the book at once. The sweep deletes most of a big book's contacts. */
export async function deleteContactBook(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const { deleted } = await commit(ctx, {
    kept: ctx.db
      .insert(deletedBooks)
      .select(
        ctx.db
          .select({ teamId: contactBooks.teamId, id: contactBooks.id })
          .from(contactBooks)
          .where(isBook(ctx, id)),
      ),
    segments: ctx.db
      .delete(segments)
      .where(and(eq(segments.teamId, ctx.team), eq(segments.bookId, id))),
    forms: ctx.db.delete(forms).where(and(eq(forms.teamId, ctx.team), eq(forms.bookId, id))),
    deleted: ctx.db.delete(contactBooks).where(isBook(ctx, id)).returning({ id: contactBooks.id }),
    audit: await auditEntry(ctx, "contactBooks.remove", { id }),
  })
  bookOrNotFound(deleted[0])
  await deleteContacts(ctx, { teamId: team.id, id })
}

export async function sweepDeletedBooks(work: Work): Promise<void> {
  for (const book of await work.db.select().from(deletedBooks).limit(BOOKS_A_SWEEP)) {
    for (let round = 0; round < ROUNDS; round++) {
      if (await deleteContacts(work, book)) break
    }
  }
}

/**
 * Deletes some of a deleted book's contacts, and tells whether they were the last. A book that was made
 * again with this id keeps its contacts.
 */
async function deleteContacts(
  { db }: Work,
  { teamId, id }: { teamId: string; id: string },
): Promise<boolean> {
  const inBook = and(eq(contacts.teamId, teamId), eq(contacts.bookId, id))
  const some = db.select({ id: contacts.id }).from(contacts).where(inBook)
  const ofBook = and(eq(contactRefusals.teamId, teamId), eq(contactRefusals.bookId, id))
  const refusals = db.select({ hash: contactRefusals.addressHash }).from(contactRefusals)
  const ofConfirmations = and(eq(confirmations.teamId, teamId), eq(confirmations.bookId, id))
  const { contactId, id: confirmationId } = confirmations
  const isBook = and(eq(deletedBooks.teamId, teamId), eq(deletedBooks.id, id))
  const deletedBook = db.select({ id: deletedBooks.id }).from(deletedBooks).where(isBook)
  const { left } = await namedBatch(db, {
    contacts: db
      .delete(contacts)
      .where(and(inBook, exists(deletedBook), inArray(contacts.id, some.limit(CONTACTS_A_ROUND)))),
    refusals: db
      .delete(contactRefusals)
      .where(
        and(
          ofBook,
          exists(deletedBook),
          inArray(contactRefusals.addressHash, refusals.where(ofBook).limit(CONTACTS_A_ROUND)),
        ),
      ),
    confirmations: db.delete(confirmations).where(
      and(
        ofConfirmations,
        exists(deletedBook),
        sql`(${contactId}, ${confirmationId}) in (select ${contactId}, ${confirmationId}
            from ${confirmations} where ${ofConfirmations} limit +${CONTACTS_A_ROUND})`,
      ),
    ),
    finished: db
      .delete(deletedBooks)
      .where(
        and(
          isBook,
          notExists(db.select({ id: contacts.id }).from(contacts).where(inBook)),
          notExists(db.select({ id: confirmations.id }).from(confirmations).where(ofConfirmations)),
          notExists(
            db.select({ hash: contactRefusals.addressHash }).from(contactRefusals).where(ofBook),
          ),
        ),
      ),
    left: deletedBook,
  })
  return left.length === 0
}

export const selectBook = (ctx: Ctx, id: string) =>
  ctx.db.select().from(contactBooks).where(isBook(ctx, id))

const isBook = (ctx: Ctx, id: string) =>
  and(eq(contactBooks.teamId, ctx.team), eq(contactBooks.id, id))

export const bookOrNotFound = <T>(book: T | undefined): T => orNotFound(book, "Contact book")
