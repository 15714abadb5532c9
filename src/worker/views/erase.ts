import { and, eq, inArray, or, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { commonPart, redactor } from "../../lib/redact.ts"
import type { Work } from "../platform/context.ts"
import { savedViews } from "./table.ts"

/** Deletes the views that name an address: without it they find nothing. */
export async function eraseViews(work: Work, teamId: string, email: string, erased: string) {
  const redact = redactor(email, erased)
  const names = (text: SQLiteColumn) => sql`instr(lower(${text}), ${commonPart(email)})`
  const ofTeam = eq(savedViews.teamId, teamId)
  const found = await work.db
    .select({ id: savedViews.id, name: savedViews.name, query: savedViews.query })
    .from(savedViews)
    .where(and(ofTeam, or(names(savedViews.name), names(savedViews.query))))
  const ids = found.flatMap(({ id, ...texts }) => {
    const text = JSON.stringify(texts)
    return redact(text) === text ? [] : [id]
  })
  if (ids.length > 0) {
    await work.db.delete(savedViews).where(and(ofTeam, inArray(savedViews.id, ids)))
  }
}
