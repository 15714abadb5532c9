import { type SQL, sql } from "drizzle-orm"
import { jsonMembersOf, jsonRows, membersOf } from "../db/json-rows.ts"
import type { Work } from "../env.ts"
import type { NoticeAbout, NoticeKind } from "./table.ts"

/** In place of a team's id: for those who run the installation. */
export const INSTALLATION = ""

export interface Notice {
  teamId: string
  about: NoticeAbout
}

/**
 * The statement that notes what owners must know, in the batch that makes it so. A team gets a mail
 * of a kind once a day; what else happens that day is in the dashboard.
 */
export function keepNotices(
  work: Work,
  kind: NoticeKind,
  notices: readonly Notice[],
  condition: SQL = sql`true`,
) {
  const x = membersOf<Notice>()
  return keepNoticesFrom(
    work,
    kind,
    sql`select ${x.teamId} as team_id, ${jsonMembersOf<Notice>().about} as about
      from ${jsonRows(notices)} where ${condition}`,
  )
}

/** The same for what a query finds: `source` selects `team_id, about`. */
export function keepNoticesFrom(work: Work, kind: NoticeKind, source: SQL) {
  const now = work.now()
  const day = new Date(now).toISOString().slice(0, 10)
  return work.db.run(sql`
    insert into notices (team_id, kind, day, about, created_at, due_at)
    select team_id, ${kind}, ${day}, about, ${now}, ${now} from (${source}) where true
    on conflict do nothing`)
}
