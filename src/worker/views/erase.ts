import { and, eq, or, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { commonPart, redactor } from "../../lib/redact.ts"
import { untilWon } from "../../lib/until-won.ts"
import type { Work } from "../platform/context.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { savedViews } from "./table.ts"

/**
 * Deletes the views that name an address: without it they find nothing. A view that is changed
 * meanwhile is looked at again.
 */
export const eraseViews = (work: Work, teamId: string, email: string, erased: string) =>
  untilWon(async () => {
    const found = await findViews(work, teamId, email, erased)
    if (found.length === 0) return true
    const x = jsonFields<(typeof found)[number]>()
    const { id, name, query } = savedViews
    await work.db.delete(savedViews).where(
      and(
        eq(savedViews.teamId, teamId),
        sql`(${id}, ${name}, ${query}) in (
            select ${x.id}, ${x.name}, ${x.query} from ${jsonRows(found)})`,
      ),
    )
    return undefined
  })

async function findViews(work: Work, teamId: string, email: string, erased: string) {
  const redact = redactor(email, erased)
  const names = (text: SQLiteColumn) => sql`instr(lower(${text}), ${commonPart(email)})`
  const candidates = await work.db
    .select({
      id: savedViews.id,
      name: savedViews.name,
      query: sql<string>`${savedViews.query}`,
    })
    .from(savedViews)
    .where(and(eq(savedViews.teamId, teamId), or(names(savedViews.name), names(savedViews.query))))
  return candidates.filter(({ name, query }) => {
    const text = JSON.stringify({ name, query: JSON.parse(query) })
    return redact(text) !== text
  })
}
