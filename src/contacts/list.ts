import { and, desc, eq, lt, sql } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { type Page, readCursor, toPage } from "../http/page.ts"
import { foundBook, selectBook } from "./books.ts"
import type { listContacts as contract } from "./contract.ts"
import { searchContacts } from "./search.ts"
import type { Contact } from "./shapes.ts"
import { contacts } from "./table.ts"

export async function listContacts(
  ctx: Ctx,
  bookId: string,
  query: InputOf<typeof contract>["query"],
): Promise<Page<Contact>> {
  if (query.q !== undefined) return searchContacts(ctx, bookId, { ...query, q: query.q })
  const below = readCursor("contact", query.cursor)
  const [[book], rows] = await ctx.batch([
    selectBook(ctx, bookId),
    ctx.db
      .select()
      .from(contacts)
      .where(
        and(
          eq(contacts.teamId, ctx.team),
          eq(contacts.bookId, bookId),
          // without a hint SQLite walks the primary key past all that it leaves out
          query.subscribed === undefined
            ? undefined
            : sql`unlikely(${eq(contacts.subscribed, query.subscribed)})`,
          below ? lt(contacts.id, below) : undefined,
        ),
      )
      .orderBy(desc(contacts.id))
      .limit(query.limit + 1),
  ])
  foundBook(book)
  return toPage(rows, query.limit)
}
