import { sql } from "drizzle-orm"
import { e } from "../emails/table.ts"
import type { Subscriber } from "./recipient-link.ts"
import { c } from "./table.ts"

/**
 * A table `a`, for a join: the `address` that the link was sent to, and the one that the contact of
 * the link's email has now. With `in`, SQLite would read every contact of a book.
 */
export const addressesOf = ({ teamId, email, bookId, emailId }: Subscriber) => sql`(
  select ${email} as address
  union select ${c.email} from emails e
    cross join contacts c on ${c.teamId} = ${e.teamId} and ${c.bookId} = ${bookId} and ${c.id} = ${e.contactId}
    where ${e.teamId} = ${teamId} and ${e.id} = ${emailId ?? null}) a`
