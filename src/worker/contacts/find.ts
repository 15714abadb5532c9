import { sql } from "drizzle-orm"
import { endOfPrefix } from "../../lib/text.ts"
import type { Ctx } from "../platform/context.ts"
import { columnsOf } from "../platform/db/columns.ts"
import type { OutputOf } from "../platform/http/endpoint.ts"
import type { findContacts as contract } from "./dashboard-contract.ts"
import { searchKey } from "./search.ts"
import { contactBooks, contacts } from "./table.ts"

const book = columnsOf<"team_id" | "id" | "name">("book")

const BOOKS_SEARCHED = 100
const CONTACTS_SHOWN = 5

type Found = OutputOf<typeof contract>["data"][number]

/**
 * Each book has a range of each index, so the number of books is limited, and each is read once. One
 * round trip.
 */
export async function findContacts(ctx: Ctx, q: string): Promise<OutputOf<typeof contract>> {
  const prefix = searchKey(q.trim())
  const inBook = sql`${contacts.teamId} = ${book.team_id} and ${contacts.bookId} = ${book.id}`
  // The book is named in each range: named once, SQLite would read all contacts of the book.
  const ranges = [contacts.email, contacts.nameKey, contacts.lastNameKey].map(
    (key) => sql`(${inBook} and ${key} >= ${prefix} and ${key} < ${endOfPrefix(prefix)})`,
  )
  const [data] = await ctx.batch([
    ctx.db.all<Found>(sql`
      select ${contacts.id} as id, ${book.id} as bookId, ${book.name} as bookName,
        ${contacts.email} as email,
        ${contacts.firstName} as firstName, ${contacts.lastName} as lastName
      from (select ${contactBooks.teamId}, ${contactBooks.id}, ${contactBooks.name} from ${contactBooks}
        where ${contactBooks.teamId} = ${ctx.team}
          order by ${contactBooks.id} desc limit +${BOOKS_SEARCHED}) book
      cross join contacts on ${sql.join(ranges, sql` or `)}
      limit +${CONTACTS_SHOWN}`),
  ])
  return { data }
}
