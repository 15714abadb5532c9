import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { type NoticeAbout, type NoticeKind, notices } from "./table.ts"

/** Takes the place of a team's id in notices to the operators of the installation. */
export const INSTALLATION = ""

interface Notice {
  teamId: string
  about: NoticeAbout
}

/**
 * Part of the batch that makes a change: stores a notice to the owners. A team gets one mail of each
 * kind a day. The dashboard shows the rest.
 */
export function keepNotices(
  work: Work,
  kind: NoticeKind,
  listed: readonly Notice[],
  condition: SQL = sql`true`,
) {
  const x = jsonFields<Notice>()
  return keepNoticesFrom(
    work,
    kind,
    sql`select ${x.teamId} as team_id, ${jsonFields<Notice>("x", "->").about} as about
      from ${jsonRows(listed)} where ${condition}`,
  )
}

/** For the operators: messages that no consumer could handle wait for a person. */
export const noteDeadLetters = (work: Work, count: number) =>
  keepNotices(work, "dead_letters", [{ teamId: INSTALLATION, about: { count } }])

/** As `keepNotices`, for the rows of a query: `source` selects `team_id, about`. */
export function keepNoticesFrom(work: Work, kind: NoticeKind, source: SQL) {
  const now = work.now()
  const day = new Date(now).toISOString().slice(0, 10)
  return work.db.run(sql`
    ${insertInto(
      notices,
      { teamId: sql`team_id`, kind, day, about: sql`about`, createdAt: now, dueAt: now },
      sql`from (${source}) where true on conflict do nothing`,
    )}`)
}
