import { and, eq, sql } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { isInRange, pageOrder } from "../platform/http/list.ts"
import { type Page, type PageQuery, toPage } from "../platform/http/page.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import type { listContacts as contract } from "./contract.ts"
import { searchContacts } from "./search.ts"
import type { Contact } from "./shapes.ts"
import { contactColumns, contacts } from "./table.ts"

export async function listContacts(
  ctx: Ctx,
  bookId: string,
  query: InputOf<typeof contract>["query"] & PageQuery,
): Promise<Page<Contact>> {
  if (query.q !== undefined) return searchContacts(ctx, bookId, { ...query, q: query.q })
  const [[book], rows] = await ctx.batch([
    selectBook(ctx, bookId),
    ctx.db
      .select(contactColumns)
      .from(contacts)
      .where(
        and(
          eq(contacts.teamId, ctx.team),
          eq(contacts.bookId, bookId),
          // Without the hint SQLite reads the whole primary key instead of the index of consent.
          query.subscribed === undefined
            ? undefined
            : sql`unlikely(${eq(contacts.subscribed, query.subscribed)})`,
          isInRange(contacts.id, "contact", query),
        ),
      )
      .orderBy(pageOrder(contacts.id, query))
      .limit(query.limit + 1),
  ])
  bookOrNotFound(book)
  return toPage(rows, query.limit, query.before)
}
