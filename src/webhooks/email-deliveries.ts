import { and, desc, eq, getTableColumns, sql } from "drizzle-orm"
import { jsonRows, membersOf } from "../db/json-rows.ts"
import { found, isEmail } from "../emails/get.ts"
import { emailEvents, emails } from "../emails/table.ts"
import type { Ctx } from "../env.ts"
import { MADE_WITHIN_MS } from "../events/new-deliveries.ts"
import { deliveries, events, webhooks } from "../events/table.ts"
import { firstIdAt } from "../lib/id.ts"
import { toDelivery } from "./deliveries.ts"

/** The newest entries of the timeline. Each has the id of its event. */
const EVENTS = 20
const MAX_DELIVERIES = 100

/**
 * What webhooks were told of an email. Deliveries have no index by event, but each is made right
 * after its event, so its id is near in time.
 */
export async function listEmailDeliveries(ctx: Ctx, emailId: string) {
  const [[email], told] = await ctx.batch([
    ctx.db.select().from(emails).where(isEmail(ctx, emailId)),
    ctx.db
      .select({ id: events.id, createdAt: events.createdAt })
      .from(emailEvents)
      .innerJoin(events, and(eq(events.teamId, ctx.team), eq(events.id, emailEvents.id)))
      .where(and(eq(emailEvents.teamId, ctx.team), eq(emailEvents.emailId, emailId)))
      .orderBy(desc(emailEvents.id))
      .limit(EVENTS),
  ])
  found(email)
  const asked = told.map(({ id, createdAt }) => ({
    id,
    since: firstIdAt("delivery", createdAt),
    until: firstIdAt("delivery", createdAt + MADE_WITHIN_MS),
  }))
  const x = membersOf<(typeof asked)[number]>()
  const rows = await ctx.db
    .select({ ...getTableColumns(deliveries), url: webhooks.url })
    .from(sql`${jsonRows(asked)}`)
    .crossJoin(webhooks)
    .crossJoin(deliveries)
    .where(
      and(
        eq(webhooks.teamId, ctx.team),
        eq(deliveries.teamId, webhooks.teamId),
        eq(deliveries.webhookId, webhooks.id),
        sql`${deliveries.id} >= ${x.since} and ${deliveries.id} < ${x.until}`,
        sql`${deliveries.eventId} = ${x.id}`,
      ),
    )
    .orderBy(desc(deliveries.id))
    .limit(MAX_DELIVERIES)
  return { data: rows.map(({ url, ...row }) => ({ ...toDelivery(row), url })) }
}
