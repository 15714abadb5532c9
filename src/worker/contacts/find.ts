import { sql } from "drizzle-orm"
import { endOfPrefix } from "../../lib/text.ts"
import type { Ctx } from "../platform/context.ts"
import type { OutputOf } from "../platform/http/endpoint.ts"
import type { findContacts as contract } from "./dashboard-contract.ts"
import { searchKey } from "./search.ts"
import { b, contactBooks as books, c } from "./table.ts"

const BOOKS_SEARCHED = 100
const CONTACTS_SHOWN = 5

type Found = OutputOf<typeof contract>["data"][number]

/**
 * Each book has a range of each index, so the number of books is limited, and each is read once. One
 * round trip.
 */
export async function findContacts(ctx: Ctx, q: string): Promise<OutputOf<typeof contract>> {
  const prefix = searchKey(q.trim())
  const inBook = sql`${c.teamId} = ${b.teamId} and ${c.bookId} = ${b.id}`
  // The book is named in each range: named once, SQLite would read all contacts of the book.
  const ranges = [c.email, c.nameKey, c.lastNameKey].map(
    (key) => sql`(${inBook} and ${key} >= ${prefix} and ${key} < ${endOfPrefix(prefix)})`,
  )
  const [data] = await ctx.batch([
    ctx.db.all<Found>(sql`
      select ${c.id} as id, ${b.id} as bookId, ${b.name} as bookName, ${c.email} as email,
        ${c.firstName} as firstName, ${c.lastName} as lastName
      from (select ${books.teamId}, ${books.id}, ${books.name} from ${books}
        where ${books.teamId} = ${ctx.team} order by ${books.id} desc limit ${BOOKS_SEARCHED}) b
      cross join contacts c on ${sql.join(ranges, sql` or `)}
      limit ${CONTACTS_SHOWN}`),
  ])
  return { data }
}
