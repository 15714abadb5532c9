import { sql } from "drizzle-orm"
import type { Work } from "../platform/context.ts"
import { namedBatch } from "../platform/db/client.ts"
import { confirmations } from "./confirmation/table.ts"
import { moveCounts } from "./counts.ts"
import { c, contactBooks, contacts, deletedBooks } from "./table.ts"

/** Removes an address from every book, deleted books included, and answers from how many. */
export async function removeAddress(work: Work, teamId: string, email: string): Promise<number> {
  const theirs = sql`(
      select ${contactBooks.id} from ${contactBooks} where ${contactBooks.teamId} = ${teamId}
      union all
      select ${deletedBooks.id} from ${deletedBooks} where ${deletedBooks.teamId} = ${teamId}
    ) b
    cross join contacts c on ${c.teamId} = ${teamId} and ${c.bookId} = b.id and ${c.email} = ${email}`
  const { deleted } = await namedBatch(work.db, {
    counts: moveCounts(
      work,
      teamId,
      sql`select ${c.bookId}, -1 as contacts, -${c.subscribed} as subscribed from ${theirs}`,
    ),
    confirmations: work.db.delete(confirmations).where(
      sql`(${confirmations.teamId}, ${confirmations.bookId}, ${confirmations.contactId}) in (
          select ${c.teamId}, ${c.bookId}, ${c.id} from ${theirs})`,
    ),
    deleted: work.db
      .delete(contacts)
      .where(
        sql`(${contacts.teamId}, ${contacts.bookId}, ${contacts.id}) in (
          select ${c.teamId}, ${c.bookId}, ${c.id} from ${theirs})`,
      )
      .returning({ id: contacts.id }),
  })
  return deleted.length
}
