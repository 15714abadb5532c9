import { type SQLWrapper, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { prepared } from "../../platform/db/prepared.ts"
import { e, emailWords } from "../table.ts"
import { hasWords, type WordedEmail } from "./words-of-email.ts"

const w = alias(emailWords, "w")

/** The rows of the index that one page looks at: up to 250,000 emails. */
const ROWS_A_PAGE = 250

interface Found {
  /** Newest first. */
  ids: string[]
  /** The id that the search looked down to. Undefined if it has looked at everything. */
  end: string | undefined
}

interface Search {
  words: readonly string[]
  from: string | undefined
  below: string | undefined
  /** About how many ids are wanted. */
  most: number
  /** How many emails that have no words in the index yet are looked at. */
  scan: number
}

/** Finds the emails that have all words. One round trip. */
export async function findByWords(ctx: Ctx, search: Search): Promise<Found> {
  const { words, from = "", below = "em_~", most, scan } = search
  const values = { from, below, words: JSON.stringify(words), scan, most: most + ROWS_A_PAGE }
  const [newest, indexed] = await ctx.batch([
    selectNotIndexed(ctx, values),
    selectIndexed(ctx, values),
  ])
  const parsed = newest.map(({ id, subject, recipients }) => ({
    id,
    subject,
    recipients: JSON.parse(recipients) as WordedEmail["recipients"],
  }))
  const ids = parsed.filter((email) => hasWords(email, words)).map(({ id }) => id)
  if (newest.length === scan) return { ids, end: newest.at(-1)?.id }
  const last = indexed.at(-1)
  const isCut = indexed.length === values.most
  const isEnd = new Set(indexed.map(({ firstId }) => firstId)).size < ROWS_A_PAGE
  return {
    ids: [...ids, ...indexed.flatMap(({ id }) => id ?? [])],
    end: isCut ? (last?.id ?? last?.firstId) : isEnd ? undefined : last?.firstId,
  }
}

const selectNotIndexed = prepared((db, p, { team }: ScopeText) =>
  db.all<{ id: string; recipients: string; subject: string }>(sql`
    select ${e.id} as id, ${e.recipients} as recipients, ${e.subject} as subject from emails e
    where ${e.teamId} = ${team} and ${e.id} < ${p.below}
      and ${e.id} >= max(${p.from}, coalesce((
        select ${w.lastId} || ' ' from email_words w where ${w.teamId} = ${team}
        order by ${w.firstId} desc limit 1), ''))
    order by ${e.id} desc limit ${p.scan}`),
)

const selectIndexed = prepared((db, p, { team }: ScopeText) => {
  const hasAll = (text: SQLWrapper) => sql`not exists (
    select 1 from json_each(${p.words}) word where instr(${text}, ' ' || word.value) = 0)`
  const first = sql`coalesce((select max(${w.firstId}) from email_words w
    where ${w.teamId} = ${team} and ${w.firstId} <= ${p.from}), '')`
  return db.all<{ firstId: string; id: string | null }>(sql`
    select b.firstId, email.key as id
    from (select ${w.firstId} as firstId, ${w.words} as words from email_words w
      where ${w.teamId} = ${team} and ${w.firstId} >= ${first} and ${w.firstId} < ${p.below}
      order by ${w.firstId} desc limit ${ROWS_A_PAGE}) b
    left join json_each(iif(${hasAll(sql`b.words`)}, b.words, '{}')) email
      on ${hasAll(sql`email.value`)} and email.key >= ${p.from} and email.key < ${p.below}
    limit ${p.most}`)
})
