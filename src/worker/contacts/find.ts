import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { endOfPrefix } from "../../lib/text.ts"
import type { Ctx } from "../platform/context.ts"
import type { OutputOf } from "../platform/http/endpoint.ts"
import type { findContacts as contract } from "./dashboard-contract.ts"
import { searchKey } from "./search.ts"
import { b, contactBooks as books, c } from "./table.ts"

const BOOKS_SEARCHED = 100
const CONTACTS_SHOWN = 5

type Found = OutputOf<typeof contract>["data"][number]

/** Each book has a range of each index, so the number of books is limited. One round trip. */
export async function findContacts(ctx: Ctx, q: string): Promise<OutputOf<typeof contract>> {
  const prefix = searchKey(q.trim())
  const found = [c.email, c.nameKey, c.lastNameKey].map((key) => startingWith(ctx, key, prefix))
  const [rows] = await ctx.batch([ctx.db.all<Found>(sql.join(found, sql` union all `))])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { data: [...byId.values()].slice(0, CONTACTS_SHOWN) }
}

const startingWith = (ctx: Ctx, key: SQLiteColumn, prefix: string): SQL => sql`
  select * from (
    select ${c.id} as id, ${b.id} as bookId, ${b.name} as bookName, ${c.email} as email,
      ${c.firstName} as firstName, ${c.lastName} as lastName
    from (select ${books.teamId}, ${books.id}, ${books.name} from ${books}
      where ${books.teamId} = ${ctx.team} order by ${books.id} desc limit ${BOOKS_SEARCHED}) b
    cross join contacts c on ${c.teamId} = ${b.teamId} and ${c.bookId} = ${b.id}
      and ${key} >= ${prefix} and ${key} < ${endOfPrefix(prefix)}
    limit ${CONTACTS_SHOWN})`
