import { and, asc, eq, exists, inArray, ne, sql } from "drizzle-orm"
import { normalizeAddress } from "../../lib/address.ts"
import { isId } from "../../lib/id.ts"
import type { Ctx } from "../platform/context.ts"
import { conflict } from "../platform/http/errors.ts"
import { isContact } from "./contacts.ts"
import type { Contact } from "./shapes.ts"
import { contactBooks, contactColumns, contacts } from "./table.ts"

/** Callers read the contacts one by one, and an invocation has 1,000 queries. */
const MAX_BOOKS = 200

/**
 * The contacts with one address in all books of the team, those of the oldest book first: by the
 * address, or by the id of one of them.
 */
export async function findEverywhere(ctx: Ctx, emailOrId: string): Promise<Contact[]> {
  const email = isId("contact", emailOrId)
    ? sql`(select ${contacts.email} from ${contacts}
        where ${inBooks(ctx)} and ${contacts.id} = ${emailOrId})`
    : normalizeAddress(emailOrId)
  // SQLite by itself reads all contacts of the books.
  const found = sql`select ${contacts.bookId}, ${contacts.id} from contacts indexed by contacts_email
    where ${inBooks(ctx)} and ${contacts.email} = ${email}`
  const [rows] = await ctx.batch([
    ctx.db
      .select(contactColumns)
      .from(contacts)
      .where(
        and(eq(contacts.teamId, ctx.team), sql`(${contacts.bookId}, ${contacts.id}) in (${found})`),
      )
      .orderBy(asc(contacts.bookId))
      .limit(MAX_BOOKS + 1),
  ])
  if (rows.length > MAX_BOOKS) {
    throw conflict(`The address is in over ${MAX_BOOKS} contact books: change each of them.`)
  }
  return rows
}

/** Whether the contact still is as it was read. */
export const isUnchanged = (ctx: Ctx, { bookId, id, updatedAt }: Contact) =>
  exists(
    ctx.db
      .select({ id: contacts.id })
      .from(contacts)
      .where(and(isContact(ctx, bookId, id), eq(contacts.updatedAt, updatedAt))),
  )

/** Whether another book has a contact with this address, too. */
export const isElsewhere = (ctx: Ctx, { bookId, email }: Contact) =>
  exists(
    ctx.db
      .select({ id: contacts.id })
      .from(contacts)
      .where(and(inBooks(ctx), ne(contacts.bookId, bookId), eq(contacts.email, email))),
  )

/** One look-up a book: an index by address alone would cost a row for every contact. */
const inBooks = (ctx: Ctx) =>
  and(
    eq(contacts.teamId, ctx.team),
    inArray(
      contacts.bookId,
      ctx.db
        .select({ id: contactBooks.id })
        .from(contactBooks)
        .where(eq(contactBooks.teamId, ctx.team)),
    ),
  )
