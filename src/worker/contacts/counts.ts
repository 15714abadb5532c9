import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { assignments } from "../platform/db/columns.ts"
import { contactBooks } from "./table.ts"

/**
 * Adds to the counts of books. Put it into the batch before the change itself: `deltas` selects
 * `book_id, contacts, subscribed` from the contacts as they are before the change.
 */
export const moveCounts = (work: Work, team: SQL | string, deltas: SQL): Query =>
  work.db.run(sql`
    update ${contactBooks} set ${assignments(contactBooks, {
      contactCount: sql`${contactBooks.contactCount} + delta.contacts`,
      subscribedCount: sql`${contactBooks.subscribedCount} + delta.subscribed`,
    })}
    from (${deltas}) as delta
    where ${contactBooks.teamId} = ${team} and ${contactBooks.id} = delta.book_id
      and (delta.contacts <> 0 or delta.subscribed <> 0)`)
