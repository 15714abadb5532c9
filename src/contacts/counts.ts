import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"

/**
 * Moves the counts that a book keeps of its contacts. It stands in the batch before the change,
 * and `deltas` selects `book_id, contacts, subscribed` from the state that the change will meet.
 */
export const moveCounts = (work: Work, team: SQL | string, deltas: SQL): Query =>
  work.db.run(sql`
    update contact_books set
      contact_count = contact_count + delta.contacts,
      subscribed_count = subscribed_count + delta.subscribed
    from (${deltas}) as delta
    where contact_books.team_id = ${team} and contact_books.id = delta.book_id
      and (delta.contacts <> 0 or delta.subscribed <> 0)`)
