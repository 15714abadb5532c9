import { type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { emailEvents, emails } from "../table.ts"
import type { EmailReport } from "./report.ts"

/** The most opens, and the most clicks, that are recorded of an email on one UTC day. */
const MAX_HITS_A_DAY = 50

/** `evt_` and the ten characters of an id's time: hits of one UTC day share them. */
const DAY_LENGTH = 14
const x = jsonFields<EmailReport>()
const day = sql`substr(${x.id}, 1, ${DAY_LENGTH})`

const hit = alias(emailEvents, "hit")

const precedingHits = sql`iif(${x.type} in ('opened', 'clicked'), (
    select count(*) from email_events hit
    where ${hit.teamId} = ${emails.teamId} and ${hit.emailId} = ${emails.id} and ${hit.type} = ${x.type}
      and ${hit.id} > ${day} and ${hit.id} < ${day} || '~'
  ) + row_number() over (partition by ${emails.teamId}, ${emails.id}, ${x.type}, ${day}
    order by ${x.id}) - 1, 0)`

/**
 * For a selection of new events `x`. `column` counts the hits of the same type and day
 * that precede an open or a click, on the timeline and in the selection. `leaveOut` drops the hits
 * over the limit.
 */
export interface HitLimit {
  column: SQL
  leaveOut(selection: SQL): SQL
}

export const LIMITED_HITS: HitLimit = {
  column: precedingHits,
  leaveOut: (selection) =>
    sql`select * from (${selection}) where preceding_hits < ${MAX_HITS_A_DAY}`,
}

/** For events without an open or a click. */
export const NO_HITS: HitLimit = { column: sql`0`, leaveOut: (selection) => selection }

export const hasHits = (events: readonly Pick<EmailReport, "type">[]) =>
  events.some(({ type }) => type === "opened" || type === "clicked")
