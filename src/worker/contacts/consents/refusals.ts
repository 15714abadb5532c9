import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { contactRefusals, contacts } from "../table.ts"

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
