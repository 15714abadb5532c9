import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { moveCounts } from "./counts.ts"

/** Removes an address from every book, and says of how many. */
export async function eraseContacts(work: Work, teamId: string, email: string): Promise<number> {
  const theirs = sql`team_id = ${teamId} and email = ${email}
    and book_id in (select id from contact_books where team_id = ${teamId})`
  const [, deleted] = await work.db.batch([
    moveCounts(
      work,
      teamId,
      sql`select book_id, -1 as contacts, -subscribed as subscribed from contacts where ${theirs}`,
    ),
    work.db.all(sql`delete from contacts where ${theirs} returning id`),
  ])
  return deleted.length
}
