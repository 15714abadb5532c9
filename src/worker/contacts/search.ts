import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import { unionAll } from "drizzle-orm/sqlite-core"
import * as z from "zod"
import { normalizePart } from "../../lib/address.ts"
import { isId } from "../../lib/id.ts"
import { readJson } from "../../lib/json.ts"
import { endOfPrefix } from "../../lib/text.ts"
import type { Ctx } from "../platform/context.ts"
import { type Page, type PageQuery, parseCursor, writeCursor } from "../platform/http/page.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import type { Contact } from "./shapes.ts"
import { contactColumns, contacts } from "./table.ts"

/** The columns that search looks at. Each has an index; a contact is listed under its first match. */
const SECTIONS = ["email", "nameKey", "lastNameKey"] as const
type SectionName = (typeof SECTIONS)[number]

/** Where the next page starts: in this section, after this key and this contact. */
const searchCursor = z.tuple([z.enum(SECTIONS), z.string(), z.string()])
type SearchCursor = z.output<typeof searchCursor>

interface Search {
  bookId: string
  prefix: string
  after: SearchCursor | undefined
  limit: number
}

/**
 * Reads one section after the other, each as a range of its index: a page reads `limit` entries,
 * however many contacts match. It leaves out contacts that an earlier section has listed, and
 * contacts whose consent does not match, so a page may be short.
 */
export async function searchContacts(
  ctx: Ctx,
  bookId: string,
  { q, subscribed, limit, cursor }: PageQuery & { q: string; subscribed?: boolean | undefined },
): Promise<Page<Contact>> {
  const prefix = normalizePart(searchKey(q))
  const search: Search = {
    bookId,
    prefix,
    after: parseCursor(cursor, (place) => readPlace(prefix, place)),
    limit: limit + 1,
  }
  const [[book], rows] = await ctx.batch([
    selectBook(ctx, bookId),
    unionAll(
      walkSection(ctx, "email", search),
      walkSection(ctx, "nameKey", search),
      walkSection(ctx, "lastNameKey", search),
    ).limit(search.limit),
  ])
  bookOrNotFound(book)
  const looked = rows.slice(0, limit)
  const last = looked.at(-1)
  return {
    data: looked.filter(
      (row) =>
        !isListedEarlier(row, prefix) &&
        (subscribed === undefined || row.subscribed === subscribed),
    ),
    nextCursor: rows.length > limit && last ? writeCursor(JSON.stringify(cursorAt(last))) : null,
  }
}

function walkSection(ctx: Ctx, name: SectionName, { bookId, prefix, after, limit }: Search) {
  const isPassed = after && SECTIONS.indexOf(after[0]) > SECTIONS.indexOf(name)
  const walked = ctx.db
    .select({ ...contactColumns, section: sql<SectionName>`${name}`.as("section") })
    .from(contacts)
    .where(
      and(
        eq(contacts.teamId, ctx.team),
        eq(contacts.bookId, bookId),
        startOf(name, prefix, after),
        lt(contacts[name], endOfPrefix(prefix)),
        isPassed ? sql`false` : undefined,
      ),
    )
    .orderBy(asc(contacts[name]), asc(contacts.id))
    .limit(limit)
    .as(`by_${name}`)
  return ctx.db.select().from(walked)
}

const startOf = (name: SectionName, prefix: string, after: SearchCursor | undefined): SQL =>
  after?.[0] === name
    ? sql`(${contacts[name]}, ${contacts.id}) > (${after[1]}, ${after[2]})`
    : gte(contacts[name], prefix)

type Found = { section: SectionName; id: string } & Record<SectionName, string | null>

const isListedEarlier = (row: Found, prefix: string): boolean =>
  SECTIONS.slice(0, SECTIONS.indexOf(row.section)).some((name) => row[name]?.startsWith(prefix))

const cursorAt = (row: Found): SearchCursor => [row.section, row[row.section] ?? "", row.id]

function readPlace(prefix: string, place: string): SearchCursor | undefined {
  const { data } = searchCursor.safeParse(readJson(place))
  return data?.[1].startsWith(prefix) && isId("contact", data[2]) ? data : undefined
}

interface Names {
  firstName: string | null
  lastName: string | null
}

/** Text in the form that search compares. SQLite's own `lower` changes ASCII only. */
export const searchKey = (text: string) => text.normalize("NFC").toLowerCase()

export const nameKey = (name: string | null) => name && searchKey(name)

/** The columns that search looks at, apart from the address. */
export const nameKeys = ({ firstName, lastName }: Names) => ({
  firstKey: nameKey(firstName),
  lastKey: nameKey(lastName),
})
