import { type Column, type SQL, sql } from "drizzle-orm"
import { firstIdAt } from "../../../lib/id.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { distinctIds } from "../../platform/db/per-owner.ts"
import { isDueBy, PICKED_UP_WITHIN_MS, RUNS_WITHIN_MS } from "../../platform/queues/due-work.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { DELIVERY_KEY, deliveries, webhooks } from "../events/table.ts"
import { MAX_RETRY_AFTER_MS } from "./retry.ts"

/** How long nobody else may claim a delivery. */
export const LEASE_MS = 45_000

/** How long a webhook rests after an attempt that was slow and failed. */
export const REST_MS = MINUTE_MS

/** The clocks of two machines differ by at most this much. */
const CLOCKS_DIFFER_MS = 30_000

const LONGEST_REST_MS = REST_MS + CLOCKS_DIFFER_MS
const SHORTENED_A_SWEEP = 1_000

/** A delivery was never attempted, and is under no lease. */
const isNew = sql`(${deliveries.attempts} = '[]'
  and ${deliveries.dueAt} = ${deliveries.notBefore} + ${PICKED_UP_WITHIN_MS})`

/** Conditions on a delivery, the first one for the index. */
export const mayBeDue = (now: number) =>
  sql`${deliveries.dueAt} <= ${now + PICKED_UP_WITHIN_MS + CLOCKS_DIFFER_MS}`

/** A new one is due at once: its clock may be ahead, or it was stored after this look at the clock. */
export const isDue = (now: number) =>
  sql`${mayBeDue(now)} and (${isDueBy(deliveries.notBefore, now, LEASE_MS + CLOCKS_DIFFER_MS)} or ${isNew})`

/** A consumer has claimed it. A lease leaves `dueAt` as it was. */
export const isLeased = (now: number) =>
  sql`(${deliveries.notBefore} > ${now} and not ${isDue(now)}
    and ${deliveries.dueAt} <> ${deliveries.notBefore} + ${PICKED_UP_WITHIN_MS})`

/** Selects a delivery of the team, if there is one, whose lease ends between these times. */
export const selectLeased = (
  { db }: Pick<Work, "db">,
  teamId: string,
  { after, before }: { after: number; before: number },
) =>
  db.all(sql`
    select 1 from webhooks cross join deliveries on ${deliveries.webhookId} = ${webhooks.id}
      and ${deliveries.dueAt} is not null and ${deliveries.notBefore} > ${after}
      and ${deliveries.notBefore} < ${before}
      and ${deliveries.dueAt} <> ${deliveries.notBefore} + ${PICKED_UP_WITHIN_MS}
    where ${webhooks.teamId} = ${teamId} limit 1`)

/** The webhooks with pending deliveries: the table `waiting`, from an id on. */
export const waitingWebhooks = (from: string) =>
  distinctIds("waiting", nextWaiting, { from: sql`${from}` })

const nextWaiting = (after: SQL) => sql`(
  select min(${deliveries.webhookId}) from deliveries
  where ${deliveries.dueAt} is not null and ${deliveries.webhookId} > ${after})`

/** Of a webhook that waits: a column of its oldest delivery. */
export const oldest = (column: Column) => sql`
  select ${column} from deliveries
  where ${deliveries.webhookId} = waiting.id and ${deliveries.dueAt} is not null
    order by ${deliveries.dueAt} limit 1`

/** A condition on a webhook that has a time of rest: this is over. */
export const hasRested = (now: number) => isDueBy(webhooks.restsUntil, now, LONGEST_REST_MS)

/** A time further ahead than any rest is an error of a clock. */
export const isResting = (restsUntil: number | null, now: number) =>
  restsUntil !== null && restsUntil > now && restsUntil <= now + LONGEST_REST_MS + RUNS_WITHIN_MS

/** Makes deliveries due that a clock ahead has made, or has put off for longer than any rule allows. */
export async function shortenWaits({ db, now }: Work): Promise<void> {
  const longest = now() + MAX_RETRY_AFTER_MS + PICKED_UP_WITHIN_MS + CLOCKS_DIFFER_MS
  const future = firstIdAt("delivery", now() + CLOCKS_DIFFER_MS)
  const shorten = (isTooFar: SQL) =>
    db
      .update(deliveries)
      .set({ notBefore: now(), dueAt: now() })
      .where(sql`${DELIVERY_KEY} in (
        with recursive ${waitingWebhooks("")}
        select ${deliveries.teamId}, ${deliveries.webhookId}, ${deliveries.id} from waiting
        cross join deliveries on ${isTooFar} and ${deliveries.teamId} not in (${FENCED_TEAMS})
        limit +${SHORTENED_A_SWEEP})`)
  // A statement each: SQLite uses no index for several columns in a union.
  await db.batch([
    shorten(sql`${deliveries.webhookId} = waiting.id and ${deliveries.dueAt} > ${longest}`),
    shorten(sql`${deliveries.teamId} = (${oldest(deliveries.teamId)})
      and ${deliveries.webhookId} = waiting.id and ${deliveries.id} > ${future}
      and ${deliveries.state} = 'pending' and ${isNew}`),
  ])
}
