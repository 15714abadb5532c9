import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx, Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import type { Subscriber } from "../links/recipient-link.ts"
import { contactBooks, contactRefusals, contacts } from "../table.ts"

/**
 * For the batch that deletes a contact, before it is deleted: keeps that it had unsubscribed, or
 * forgets it. Only a hash of the address is kept.
 */
export function keepRefusal(ctx: Ctx, bookId: string, email: string, isDeleted: SQL): Query[] {
  const addressHash = erasedForm(ctx.settings, email)
  const old = sql`from ${contacts} where ${isDeleted} and ${contacts.email} = ${email}`
  return [
    ctx.db
      .delete(contactRefusals)
      .where(
        and(
          eq(contactRefusals.teamId, ctx.team),
          eq(contactRefusals.bookId, bookId),
          eq(contactRefusals.addressHash, addressHash),
          sql`exists (select 1 ${old} and ${contacts.subscribed})`,
        ),
      ),
    ctx.db.run(
      insertInto(
        contactRefusals,
        { teamId: contacts.teamId, bookId: contacts.bookId, addressHash },
        sql`${old} and not ${contacts.subscribed}
          and (${contacts.confirmation} is not 'pending' or ${contacts.unsubscribedAt} is not null)
          on conflict do nothing`,
      ),
    ),
  ]
}

/** Keeps the "no" of a link whose contact was deleted. */
export const keepRefusalOfLink = (
  { db, settings }: Work,
  { teamId, bookId, email }: Pick<Subscriber, "teamId" | "bookId" | "email">,
): Query =>
  db.run(
    insertInto(
      contactRefusals,
      { teamId, bookId, addressHash: erasedForm(settings, email) },
      sql`where exists (select 1 from ${contactBooks}
          where ${contactBooks.teamId} = ${teamId} and ${contactBooks.id} = ${bookId})
        and not exists (select 1 from ${contacts} where ${contacts.teamId} = ${teamId}
          and ${contacts.bookId} = ${bookId} and ${contacts.email} = ${email})
        on conflict do nothing`,
    ),
  )

/** Selects a row if the book keeps a refusal of the address. */
export const selectRefusalOf = (
  { db, settings }: Work,
  { teamId, bookId, email }: Pick<Subscriber, "teamId" | "bookId" | "email">,
) =>
  db
    .select({ bookId: contactRefusals.bookId })
    .from(contactRefusals)
    .where(
      and(
        eq(contactRefusals.teamId, teamId),
        eq(contactRefusals.bookId, bookId),
        eq(contactRefusals.addressHash, erasedForm(settings, email)),
      ),
    )

/** Selects a row if the book keeps any refusal. */
export const selectRefusal = (ctx: Ctx, teamId: string, bookId: string) =>
  ctx.db
    .select({ bookId: contactRefusals.bookId })
    .from(contactRefusals)
    .where(and(eq(contactRefusals.teamId, teamId), eq(contactRefusals.bookId, bookId)))
    .limit(1)

export const hasRefused = (teamId: string, bookId: string, addressHash: SQL): SQL =>
  sql`exists (select 1 from ${contactRefusals} where ${contactRefusals.teamId} = ${teamId}
    and ${contactRefusals.bookId} = ${bookId} and ${contactRefusals.addressHash} = ${addressHash})`
