import { and, eq, exists, type SQL, sql } from "drizzle-orm"
import type { Ctx, Work } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { confirmations } from "./confirmation/table.ts"
import { keepRefusal } from "./consents/refusals.ts"
import { isListed, selectContact } from "./contacts.ts"
import { moveCounts } from "./counts.ts"
import { contactBooks, contacts, deletedBooks } from "./table.ts"

export async function deleteContact(ctx: Ctx, bookId: string, id: string): Promise<undefined> {
  orNotFound(await deleteContactIf(ctx, bookId, id, sql`true`), "Contact")
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

/** Removes an address from every book, deleted books included, and answers from how many. */
export async function removeAddress(work: Work, teamId: string, email: string): Promise<number> {
  const theirs = sql`(
      select ${contactBooks.id} from ${contactBooks} where ${contactBooks.teamId} = ${teamId}
      union all
      select ${deletedBooks.id} from ${deletedBooks} where ${deletedBooks.teamId} = ${teamId}
    ) book
    cross join contacts on ${contacts.teamId} = ${teamId} and ${contacts.bookId} = book.id
      and ${contacts.email} = ${email}`
  const { deleted } = await namedBatch(work.db, {
    counts: moveCounts(
      work,
      teamId,
      sql`select ${contacts.bookId}, -1 as contacts, -${contacts.subscribed} as subscribed from ${theirs}`,
    ),
    confirmations: work.db.delete(confirmations).where(
      sql`(${confirmations.teamId}, ${confirmations.bookId}, ${confirmations.contactId}) in (
          select ${contacts.teamId}, ${contacts.bookId}, ${contacts.id} from ${theirs})`,
    ),
    deleted: work.db
      .delete(contacts)
      .where(
        sql`(${contacts.teamId}, ${contacts.bookId}, ${contacts.id}) in (
          select ${contacts.teamId}, ${contacts.bookId}, ${contacts.id} from ${theirs})`,
      )
      .returning({ id: contacts.id }),
  })
  return deleted.length
}
