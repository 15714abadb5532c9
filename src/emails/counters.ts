import { sql } from "drizzle-orm"
import { EMAIL_EVENT_TYPES, type EmailEventType } from "./contract.ts"

/** What a day's counters count: each email once, whatever the number of its events. */
const COUNTED = [
  "sent",
  "delivered",
  "bounced",
  "complained",
  "opened",
  "clicked",
  "failed",
] as const satisfies readonly EmailEventType[]

/** An email's `event_types` has a bit for each type that is on its timeline. */
export const EVENT_BITS = Object.fromEntries(
  EMAIL_EVENT_TYPES.map((type, index) => [type, 1 << index]),
) as Record<EmailEventType, number>

const listed = (part: (type: (typeof COUNTED)[number]) => string) =>
  sql.raw(COUNTED.map(part).join(", "))

export const COUNTED_COLUMNS = listed((type) => type)
export const COUNTED_NAMES = listed((type) => `'${type}'`)
export const COUNTED_UPDATES = listed((type) => `${type} = ${type} + excluded.${type}`)
/** Over fresh events: the emails for which the timeline had no event of this type before. */
export const COUNTED_SUMS = listed(
  (type) =>
    `count(distinct iif(type = '${type}' and not event_types & ${EVENT_BITS[type]}, email_id, null))`,
)
