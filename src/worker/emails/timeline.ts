import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import { firstIdAt, isId } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import type { Ctx, ScopeText } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { type Placeholders, prepared } from "../platform/db/prepared.ts"
import { parseCursor, writeCursor } from "../platform/http/page.ts"
import type { EmailWithEvents } from "./contract.ts"
import { newEvent as f } from "./outcomes/new-events.ts"
import { emailEvents } from "./table.ts"

/** Timeline entries of the events in the table expression `new_events`. */
export const insertEntries = (newEvents: SQL) =>
  insertInto(
    emailEvents,
    {
      teamId: f.team_id,
      emailId: f.email_id,
      id: f.id,
      type: f.type,
      occurredAt: f.occurred_at,
      data: f.data,
    },
    sql`from new_events`,
    { tables: sql`with ${newEvents}` },
  )

const PAGE_ENTRIES = 100

/** The ids of opens and clicks have the start of their day as time. A day has at most this many. */
const ENTRIES_OF_A_MOMENT = 100
const ENTRIES_READ = PAGE_ENTRIES + ENTRIES_OF_A_MOMENT + 1

type Entry = typeof emailEvents.$inferSelect
type Position = Pick<Entry, "id" | "occurredAt">

/**
 * Selects the entries of a page: those with ids from the position on, and the opens and clicks of
 * the position's day.
 */
export function selectTimeline(ctx: Ctx, emailId: string, after: Position | undefined) {
  const { occurredAt, id } = after ?? { occurredAt: 0, id: "" }
  const moment = firstIdAt("event", occurredAt)
  const day = occurredAt - (occurredAt % DAY_MS)
  const dayEnd = firstIdAt("event", after ? day + 1 : day)
  return [
    selectEntries(ctx, { emailId, from: id > moment ? id : moment, to: AFTER_ALL_IDS }),
    selectEntries(ctx, { emailId, from: firstIdAt("event", day), to: dayEnd }),
  ] as const
}

const AFTER_ALL_IDS = "evt_~"

const selectEntries = prepared(
  (db, { emailId, from, to }: Placeholders<"emailId" | "from" | "to">, { team }: ScopeText) =>
    db
      .select()
      .from(emailEvents)
      .where(
        and(
          eq(emailEvents.teamId, team),
          eq(emailEvents.emailId, emailId),
          gte(emailEvents.id, from),
          lt(emailEvents.id, to),
        ),
      )
      .orderBy(asc(emailEvents.id))
      .limit(ENTRIES_READ),
)

/**
 * A page of the timeline, oldest first. Entries are read in the order of their ids, and an open or a
 * click may happen long after the time in its id. So where more entries follow the last one read, only
 * those that happened before that one's time are complete.
 */
export function toTimeline(
  read: readonly Entry[],
  hitsOfDay: readonly Entry[],
  after: Position | undefined,
): Pick<EmailWithEvents, "events" | "eventsCursor"> {
  const unique = new Map([...hitsOfDay, ...read].map((entry) => [entry.id, entry]))
  const following = [...unique.values()]
    .filter((entry) => !after || compare(entry, after) > 0)
    .sort(compare)
  const end = read.length === ENTRIES_READ ? read.at(-1) : undefined
  const known = end ? following.filter((entry) => isBefore(entry, end)) : following
  const complete = known.length > 0 ? known : following
  const page = complete.slice(0, PAGE_ENTRIES)
  const last = page.at(-1)
  return {
    events: page.map(({ id, type, occurredAt, data }) => ({ ...data, id, type, occurredAt })),
    ...((end || page.length < complete.length) && last && { eventsCursor: writePosition(last) }),
  }
}

const compare = (a: Position, b: Position) =>
  a.occurredAt - b.occurredAt || Number(a.id > b.id) - Number(a.id < b.id)

/** Whether an entry happened before the time in the id of another entry. */
const isBefore = ({ occurredAt }: Entry, end: Entry) => firstIdAt("event", occurredAt + 1) <= end.id

const writePosition = ({ occurredAt, id }: Position) => writeCursor(`${occurredAt} ${id}`)

export const readPosition = (cursor: string | undefined): Position | undefined =>
  parseCursor(
    cursor,
    (place) => {
      const [, time, id = ""] = /^(0|[1-9]\d{0,13}) (.+)$/.exec(place) ?? []
      return isId("event", id) && { occurredAt: Number(time), id }
    },
    "eventsCursor",
  )

/** The entry that happened last. It reads the whole timeline. */
export const selectLastEntry = (ctx: Ctx, emailId: string) =>
  ctx.db
    .select()
    .from(emailEvents)
    .where(and(eq(emailEvents.teamId, ctx.team), eq(emailEvents.emailId, emailId)))
    .orderBy(desc(emailEvents.occurredAt), desc(emailEvents.id))
    .limit(1)
