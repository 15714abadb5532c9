import { eq, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { jsonChunks } from "../../lib/json.ts"
import { commonPart, redactor } from "../../lib/redact.ts"
import { untilWon } from "../../lib/until-won.ts"
import type { Work } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { jsonRows } from "../platform/db/json-rows.ts"
import { columnsOf, keyInTeam, teamColumn } from "../platform/db/rows.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { TABLES } from "../teams/tables.ts"
import { selectTexts, type TextRow, type Texts, toPage } from "./read-texts.ts"

type Found = "replaced" | "deletes"

const textsWith = (found: Found): Texts[] =>
  TABLES.flatMap(({ table, addresses = {} }) => {
    const columns = Object.entries(columnsOf(table)).flatMap(([name, column]) =>
      addresses[name] === found ? column : [],
    )
    return columns.length > 0 ? { table, columns } : []
  })

const TEXTS = [
  ...textsWith("replaced").map((texts) => ({ texts, write: replaceTexts })),
  ...textsWith("deletes").map((texts) => ({ texts, write: deleteTexts })),
]

interface Changed extends TextRow {
  fresh: TextRow["texts"]
}

/**
 * Puts a hash in place of an address wherever a text names it, or deletes what would find nothing
 * without it. Looks again after each change: a text may have been changed, or a campaign may have
 * started with it, meanwhile.
 */
export const eraseTexts = (work: Work, teamId: string, email: string) =>
  untilWon(async () => {
    const redact = redactor(email, erasedForm(work.settings, email))
    const select = ({ texts }: (typeof TEXTS)[number], after: readonly string[] = []) =>
      selectTexts(work.db, texts, { teamId, after, condition: namesPart(texts, email) })
    const { first } = await commit(work, { first: TEXTS.map((one) => select(one)) })
    let changes = 0
    for (const [index, one] of TEXTS.entries()) {
      let page = toPage(one.texts, first[index] ?? [])
      for (;;) {
        const changed = findChanges(one.texts, page.rows, redact)
        const writes = jsonChunks(changed).map((rows) => one.write(work, one.texts, teamId, rows))
        await commit(work, { writes })
        changes += changed.length
        if (!page.last) break
        page = toPage(one.texts, await select(one, page.last))
      }
    }
    return changes === 0 ? true : undefined
  })

const namesPart = ({ columns }: Texts, email: string) =>
  sql.join(
    columns.map((column) => sql`instr(lower(${column}), ${commonPart(email)})`),
    sql` or `,
  )

type Redact = ReturnType<typeof redactor>

const findChanges = ({ columns }: Texts, rows: readonly TextRow[], redact: Redact): Changed[] =>
  rows.flatMap((row) => {
    const fresh = row.texts.map((text, at) =>
      columns[at]?.dataType === "json" && text !== null ? redactJson(redact, text) : redact(text),
    )
    return fresh.some((text, at) => text !== row.texts[at]) ? [{ ...row, fresh }] : []
  })

/** A text without the address stays as it was written. */
function redactJson(redact: Redact, text: string): string {
  const value = JSON.parse(text)
  const fresh = JSON.stringify(redact(value))
  return fresh === JSON.stringify(value) ? text : fresh
}

/** A text that has changed since it was read stays. */
const isAsRead = ({ table, columns }: Texts, teamId: string) =>
  sql.join(
    [
      eq(teamColumn(table) as SQLiteColumn, teamId),
      ...keyInTeam(table).map((column, at) => sql`${column} = ${field("key", at)}`),
      ...columns.map((column, at) => sql`${column} is ${field("texts", at)}`),
    ],
    sql` and `,
  )

const field = (name: keyof Changed, at: number) => sql.raw(`x.value ->> '$.${name}[${at}]'`)

function replaceTexts({ db }: Work, texts: Texts, teamId: string, rows: string) {
  const fresh = texts.columns.map(
    ({ name }, at) => sql`${sql.identifier(name)} = ${field("fresh", at)}`,
  )
  return db.run(sql`
    update ${texts.table} set ${sql.join(fresh, sql`, `)} from ${jsonRows(rows, "x", { parsedOnce: true })}
    where ${isAsRead(texts, teamId)}`)
}

function deleteTexts({ db }: Work, texts: Texts, teamId: string, rows: string) {
  return db.delete(texts.table).where(
    sql`${teamColumn(texts.table)} = ${teamId} and exists (
      select 1 from ${jsonRows(rows)} where ${isAsRead(texts, teamId)})`,
  )
}
