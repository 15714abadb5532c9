import { and, asc, type Column, eq, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import type { Ctx } from "../env.ts"
import { invalid } from "../http/errors.ts"
import { type Page, type PageQuery, toPage } from "../http/page.ts"
import { foundBook, selectBook } from "./books.ts"
import { searchKey } from "./names.ts"
import type { Contact } from "./shapes.ts"
import { contacts } from "./table.ts"

/** What search looks at, each with an index: a contact is listed under the first that matches. */
const SECTIONS = ["email", "nameKey", "lastNameKey"] as const
type SectionName = (typeof SECTIONS)[number]

/** Where a search goes on: in this section, behind this key and this contact. */
const searchCursor = z.tuple([z.enum(SECTIONS), z.string(), z.string()])
type SearchCursor = z.output<typeof searchCursor>

interface Search {
  bookId: string
  prefix: string
  subscribed: boolean | undefined
  after: SearchCursor | undefined
  limit: number
}

/**
 * One section after the other, each a range of its index in that index's order, so that a page of
 * a million matches costs what a page of few does: SQLite stops as soon as the page is full.
 */
export async function searchContacts(
  ctx: Ctx,
  bookId: string,
  { q, subscribed, ...query }: PageQuery & { q: string; subscribed?: boolean | undefined },
): Promise<Page<Contact>> {
  const prefix = searchKey(q)
  const after = readSearchCursor(prefix, query.cursor)
  const search: Search = { bookId, prefix, subscribed, after, limit: query.limit + 1 }
  const [[book], rows] = await ctx.batch([
    selectBook(ctx, bookId),
    unionAll(
      walkSection(ctx, "email", search),
      walkSection(ctx, "nameKey", search),
      walkSection(ctx, "lastNameKey", search),
    ).limit(search.limit),
  ])
  foundBook(book)
  const { data, nextCursor } = toPage(rows, query.limit)
  const last = data.at(-1)
  return { data, nextCursor: nextCursor && last ? writeSearchCursor(last) : null }
}

function walkSection(ctx: Ctx, name: SectionName, search: Search) {
  const { bookId, prefix, subscribed, after, limit } = search
  const position = SECTIONS.indexOf(name)
  const walked = ctx.db
    .select({ ...getTableColumns(contacts), section: sql<SectionName>`${name}`.as("section") })
    .from(contacts)
    .where(
      and(
        eq(contacts.teamId, ctx.team),
        eq(contacts.bookId, bookId),
        startOf(name, search),
        lt(contacts[name], endOf(prefix)),
        ...SECTIONS.slice(0, position).map((earlier) => isNoMatch(contacts[earlier], prefix)),
        subscribed === undefined ? undefined : eq(contacts.subscribed, subscribed),
        after && SECTIONS.indexOf(after[0]) > position ? sql`false` : undefined,
      ),
    )
    .orderBy(asc(contacts[name]), asc(contacts.id))
    .limit(limit)
    .as(`by_${name}`)
  return ctx.db.select().from(walked)
}

const startOf = (name: SectionName, { prefix, after }: Search): SQL =>
  after?.[0] === name
    ? sql`(${contacts[name]}, ${contacts.id}) > (${after[1]}, ${after[2]})`
    : gte(contacts[name], prefix)

/** Above every text that starts with the prefix: U+10FFFF is the last character there is. */
const endOf = (prefix: string) => `${prefix}\u{10ffff}`

const isNoMatch = (key: Column, prefix: string) =>
  sql`(${key} >= ${prefix} and ${key} < ${endOf(prefix)}) is not true`

type Found = { section: SectionName; id: string } & Record<SectionName, string | null>

const writeSearchCursor = (last: Found): string =>
  Buffer.from(JSON.stringify([last.section, last[last.section], last.id])).toString("base64url")

function readSearchCursor(prefix: string, cursor: string | undefined): SearchCursor | undefined {
  if (cursor === undefined) return undefined
  const parsed = searchCursor.safeParse(
    parseJson(Buffer.from(cursor, "base64url").toString("utf8")),
  )
  if (!parsed.success || !parsed.data[1].startsWith(prefix)) {
    throw invalid(["cursor"], "Malformed cursor")
  }
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
