import { type SQL, sql } from "drizzle-orm"
import type { EmailEventType } from "../emails/contract.ts"

/** As many opens, and as many clicks, are recorded an email and UTC day. */
const MAX_HITS_A_DAY = 50

/** `evt_` and the ten characters of an id's time: hits of one UTC day share them. */
const DAY_LENGTH = 14
const day = sql`substr(x.value ->> 'id', 1, ${DAY_LENGTH})`

/**
 * For a selection of events `x` on emails `e` that are not on the timeline yet: a column that counts
 * what precedes an open or a click of its type and day, on the timeline and in the selection, and
 * what leaves out those over the limit. Without opens and clicks among the events both cost nothing.
 */
export function limitHits(events: readonly { type: EmailEventType }[]) {
  const hasHits = events.some(({ type }) => type === "opened" || type === "clicked")
  return {
    hasHits,
    column: hasHits ? precedingHits : sql`0`,
    leaveOut: (selection: SQL) =>
      hasHits
        ? sql`select * from (${selection}) where preceding_hits < ${MAX_HITS_A_DAY}`
        : selection,
  }
}

const precedingHits = sql`iif(x.value ->> 'type' in ('opened', 'clicked'), (
    select count(*) from email_events hit
    where hit.team_id = e.team_id and hit.email_id = e.id and hit.type = x.value ->> 'type'
      and hit.id > ${day} and hit.id < ${day} || '~'
  ) + row_number() over (partition by e.team_id, e.id, x.value ->> 'type', ${day}
    order by x.value ->> 'id') - 1, 0)`
