import { type SQLWrapper, sql } from "drizzle-orm"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { prepared } from "../../platform/db/prepared.ts"
import type { readBounds } from "../../platform/http/list.ts"
import { parseCursor, toPage } from "../../platform/http/page.ts"
import { afterScan, endingAt, type SearchedPage } from "../../platform/http/scan.ts"
import { namesOf, statementsFor } from "../list/list.sql.ts"
import type { readFilters } from "../list/list-filters.ts"
import { emails, emailWords } from "../table.ts"
import type { ShownEmail } from "../view.ts"
import { isCutShort, parsed, type ReadEmail, upToCharacters } from "./read-emails.ts"
import { wordsOf } from "./words.ts"
import { hasWords } from "./words-of-email.ts"

type Given = NonNullable<ReturnType<typeof readFilters>> & ReturnType<typeof readBounds>

interface Search {
  q: string
  limit: number
  scan: number
}

/** Filters with an index that finds few emails: they are read, and their words compared. */
const SELECTIVE = ["to", "exactTag", "campaignId", "rareStatus", "rareStatuses"] as const

export function searchEmails(
  ctx: Ctx,
  given: Given,
  { q, ...search }: Search,
): Promise<SearchedPage<ShownEmail>> {
  const words = [...new Set(wordsOf(q))]
  const isSelective = SELECTIVE.some((name) => given[name] !== undefined)
  return isSelective
    ? filterByWords(ctx, given, { words, ...search })
    : readFound(ctx, given, { words, ...search })
}

type WordSearch = Omit<Search, "q"> & { words: readonly string[] }

/** One round trip. */
async function filterByWords(ctx: Ctx, given: Given, { words, limit, scan }: WordSearch) {
  const values = { ...given, limit: scan, size: scan + 1, scan }
  const { selectPage, endOfScan } = statementsFor(namesOf(given))
  const page = selectPage(ctx, values)
  const [rows, end] = await ctx.batch(endOfScan ? [page, endOfScan(ctx, values)] : [page])
  const { data, nextCursor } = afterScan(toPage(rows, scan), end, scan)
  const matches = data.filter((email) => hasWords(email, words))
  const lookedDownTo = parseCursor(nextCursor ?? undefined, (id) => id)
  return endingAt(toPage(matches, limit), lookedDownTo, limit)
}

/** Two round trips, the second one only if there are matches. */
async function readFound(ctx: Ctx, given: Given, { words, limit, scan }: WordSearch) {
  const { above: _, from, below, ...filters } = given
  const isFiltered = namesOf(filters) !== ""
  const most = isFiltered ? scan : limit + 1
  const { ids, end } = await findByWords(ctx, { words, from, below, most, scan })
  if (ids.length === 0) return endingAt<ShownEmail>({ data: [], nextCursor: null }, end, limit)
  const found = { ...filters, ids: JSON.stringify(ids) }
  const { selectPage } = statementsFor(namesOf(found))
  const [rows] = await ctx.batch([
    selectPage(ctx, { ...found, limit, size: limit + 1, scan: ids.length }),
  ])
  return endingAt(toPage(rows, limit), end, limit)
}

/** The rows of the index that one page looks at: up to 250,000 emails. */
const ROWS_A_PAGE = 250

interface Found {
  /** Newest first. */
  ids: string[]
  /** The id that the search looked down to. Undefined if it has looked at everything. */
  end: string | undefined
}

interface WordQuery {
  words: readonly string[]
  from: string | undefined
  below: string | undefined
  /** About how many ids are wanted. */
  most: number
  /** How many emails that have no words in the index yet are looked at. */
  scan: number
}

/** Finds the emails that have all words. One round trip. */
async function findByWords(ctx: Ctx, search: WordQuery): Promise<Found> {
  const { words, from = "", below = "em_~", most, scan } = search
  const values = { from, below, words: JSON.stringify(words), scan, most: most + ROWS_A_PAGE }
  const [newest, indexed] = await ctx.batch([
    selectNotIndexed(ctx, values),
    selectIndexed(ctx, values),
  ])
  const ids = newest.filter((email) => hasWords(parsed(email), words)).map(({ id }) => id)
  if (newest.length === scan || isCutShort(newest)) return { ids, end: newest.at(-1)?.id }
  const last = indexed.at(-1)
  const isCut = indexed.length === values.most
  const isEnd = new Set(indexed.map(({ firstId }) => firstId)).size < ROWS_A_PAGE
  return {
    ids: [...ids, ...indexed.flatMap(({ id }) => id ?? [])],
    end: isCut ? (last?.id ?? last?.firstId) : isEnd ? undefined : last?.firstId,
  }
}

const selectNotIndexed = prepared((db, p, { team }: ScopeText) =>
  db.all<ReadEmail>(
    upToCharacters(
      sql`
      select ${emails.id} as id, ${emails.recipients} as recipients, ${emails.subject} as subject
        from emails
      where ${emails.teamId} = ${team} and ${emails.id} < ${p.below}
        and ${emails.id} >= max(${p.from}, coalesce((
          select ${emailWords.lastId} || ' ' from email_words where ${emailWords.teamId} = ${team}
          order by ${emailWords.firstId} desc limit 1), ''))`,
      sql`id desc`,
      sql`${p.scan}`,
    ),
  ),
)

const selectIndexed = prepared((db, p, { team }: ScopeText) => {
  const hasAll = (text: SQLWrapper) => sql`not exists (
    select 1 from json_each(${p.words}) word where instr(${text}, ' ' || word.value) = 0)`
  const first = sql`coalesce((select max(${emailWords.firstId}) from email_words
    where ${emailWords.teamId} = ${team} and ${emailWords.firstId} <= ${p.from}), '')`
  return db.all<{ firstId: string; id: string | null }>(sql`
    select page.firstId, email.key as id
    from (select ${emailWords.firstId} as firstId, ${emailWords.words} as words from email_words
      where ${emailWords.teamId} = ${team} and ${emailWords.firstId} >= ${first}
        and ${emailWords.firstId} < ${p.below}
      order by ${emailWords.firstId} desc limit +${ROWS_A_PAGE}) page
    left join json_each(iif(${hasAll(sql`page.words`)}, page.words, '{}')) email
      on ${hasAll(sql`email.value`)} and email.key >= ${p.from} and email.key < ${p.below}
    limit +${p.most}`)
})
