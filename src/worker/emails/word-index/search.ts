import { type SQLWrapper, sql } from "drizzle-orm"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { prepared } from "../../platform/db/prepared.ts"
import type { readBounds } from "../../platform/http/list.ts"
import { toPage } from "../../platform/http/page.ts"
import { endingAt, type SearchedPage } from "../../platform/http/scan.ts"
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

interface Found {
  /** Newest first. */
  ids: readonly string[]
  /** The id that the search looked down to. Undefined if it has looked at everything. */
  end: string | undefined
}

/** The filters that found emails still have to match. */
type Rest = Record<string, unknown>

export async function searchEmails(
  ctx: Ctx,
  given: Given,
  search: Search,
): Promise<SearchedPage<ShownEmail>> {
  const { limit } = search
  const { ids, end, rest } = await findEmails(ctx, given, search)
  if (ids.length === 0) return endingAt<ShownEmail>({ data: [], nextCursor: null }, end, limit)
  const candidates = namesOf(rest) === "" ? ids.slice(0, limit + 1) : ids
  const found = { ...rest, ids: JSON.stringify(candidates) }
  const { selectPage } = statementsFor(namesOf(found))
  const [rows] = await ctx.batch([
    selectPage(ctx, { ...found, limit, size: limit + 1, scan: candidates.length }),
  ])
  return endingAt(toPage(rows, limit), end, limit)
}

export async function countFound(ctx: Ctx, given: Given, search: Search) {
  const { ids, end, rest } = await findEmails(ctx, given, search)
  if (ids.length === 0 || namesOf(rest) === "") return { count: ids.length, end }
  const found = { ...rest, ids: JSON.stringify(ids) }
  const [[row]] = await ctx.batch([
    statementsFor(namesOf(found)).count(ctx, { ...found, scan: ids.length }),
  ])
  return { count: row?.found ?? 0, end }
}

/** Filters with an index that finds few emails: they are read, and their words compared. */
const SELECTIVE = ["to", "exactTag", "campaignId", "rareStatus", "rareStatuses"] as const

/** One round trip. */
async function findEmails(
  ctx: Ctx,
  { above: _, ...given }: Given,
  { q, limit, scan }: Search,
): Promise<Found & { rest: Rest }> {
  const words = [...new Set(wordsOf(q))]
  if (SELECTIVE.some((name) => given[name] !== undefined)) {
    return { ...(await filterByWords(ctx, given, words, scan)), rest: {} }
  }
  const { from, below, ...rest } = given
  const most = namesOf(rest) === "" ? limit + 1 : scan
  return { ...(await findByWords(ctx, { words, from, below, most, scan })), rest }
}

async function filterByWords(
  ctx: Ctx,
  given: Record<string, unknown>,
  words: readonly string[],
  scan: number,
): Promise<Found> {
  const values = { ...given, limit: scan, size: scan, scan }
  const { selectWords, endOfScan } = statementsFor(namesOf(given))
  const read = selectWords(ctx, values)
  const [rows, end] = await ctx.batch(endOfScan ? [read, endOfScan(ctx, values)] : [read])
  return {
    ids: rows.filter((email) => hasWords(parsed(email), words)).map(({ id }) => id),
    end: mayGoOn(rows, scan) ? rows.at(-1)?.id : end?.[1] && end[0]?.id,
  }
}

const mayGoOn = (read: readonly ReadEmail[], most: number) =>
  read.length === most || isCutShort(read)

/** The rows of the index that one page looks at: up to 250,000 emails. */
const ROWS_A_PAGE = 250

interface WordQuery {
  words: readonly string[]
  from: string | undefined
  below: string | undefined
  /** About how many ids are wanted. */
  most: number
  /** How many emails that have no words in the index yet are looked at. */
  scan: number
}

/** Finds the emails that have all words. */
async function findByWords(ctx: Ctx, search: WordQuery): Promise<Found> {
  const { words, from = "", below = "em_~", most, scan } = search
  const values = { from, below, words: JSON.stringify(words), scan, most: most + ROWS_A_PAGE }
  const [newest, indexed] = await ctx.batch([
    selectNotIndexed(ctx, values),
    selectIndexed(ctx, values),
  ])
  const ids = newest.filter((email) => hasWords(parsed(email), words)).map(({ id }) => id)
  if (mayGoOn(newest, scan)) return { ids, end: newest.at(-1)?.id }
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
