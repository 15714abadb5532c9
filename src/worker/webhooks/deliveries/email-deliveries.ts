import { and, desc, eq, getTableColumns, gte, lt, or, type SQL, sql } from "drizzle-orm"
import { ID_ALPHABET, ID_PREFIXES, type IdKind } from "../../../lib/id.ts"
import { emailOrNotFound, isEmail } from "../../emails/get.ts"
import { emailEvents, emails } from "../../emails/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { MADE_WITHIN_MS } from "../events/new-deliveries.ts"
import { deliveries, events, webhooks } from "../events/table.ts"
import { toDelivery } from "./deliveries.ts"

/** The newest entries of the timeline. Each has the id of its event. */
const EVENTS = 20
const MAX_DELIVERIES = 100

/**
 * The deliveries of an email's events. Deliveries have no index by event, but each is made right
 * after its event, so their ids have nearly the same time. Those made later have an index.
 */
export async function listEmailDeliveries(ctx: Ctx, emailId: string) {
  const recent = ctx.db
    .select({ eventId: events.id, sequence: events.sequence, storedAt: events.createdAt })
    .from(emailEvents)
    .innerJoin(events, and(eq(events.teamId, ctx.team), eq(events.id, emailEvents.id)))
    .where(and(eq(emailEvents.teamId, ctx.team), eq(emailEvents.emailId, emailId)))
    .orderBy(desc(emailEvents.id))
    .limit(EVENTS)
    .as("recent")
  // Both parts name the webhook, so that each is read from its own index.
  const isMadeWithEvent = and(
    eq(deliveries.teamId, webhooks.teamId),
    eq(deliveries.webhookId, webhooks.id),
    gte(deliveries.id, firstIdIn("delivery", sql`${recent.storedAt}`)),
    lt(deliveries.id, firstIdIn("delivery", sql`(${recent.storedAt} + ${MADE_WITHIN_MS})`)),
    eq(deliveries.eventId, recent.eventId),
  )
  const isMadeLater = and(
    sql`${deliveries.repeats} = 1`,
    eq(deliveries.webhookId, webhooks.id),
    eq(deliveries.sequence, recent.sequence),
  )
  const [[email], rows] = await ctx.batch([
    ctx.db.select().from(emails).where(isEmail(ctx, emailId)),
    ctx.db
      .select({
        ...getTableColumns(deliveries),
        webhookName: webhooks.name,
        url: webhooks.url,
        droppedAt: webhooks.droppedAt,
      })
      .from(recent)
      .crossJoin(webhooks)
      .crossJoin(deliveries)
      .where(and(eq(webhooks.teamId, ctx.team), or(isMadeWithEvent, isMadeLater)))
      .orderBy(desc(deliveries.id))
      .limit(MAX_DELIVERIES),
  ])
  emailOrNotFound(email)
  return {
    data: rows.map(({ webhookName, url, droppedAt, ...row }) => ({
      ...toDelivery(row, droppedAt),
      webhookName,
      url,
    })),
  }
}

const BITS_OF_A_SIGN = 5
const SIGNS_OF_TIME = 10

/** The same as `firstIdAt`, in SQL: for a time that the statement itself reads. */
function firstIdIn(kind: IdKind, time: SQL): SQL<string> {
  const signs = Array.from({ length: SIGNS_OF_TIME }, (_, index) => {
    const shift = sql.raw(String(BITS_OF_A_SIGN * (SIGNS_OF_TIME - 1 - index)))
    return sql`substr('${sql.raw(ID_ALPHABET)}', 1 + ((${time} >> ${shift}) & 31), 1)`
  })
  return sql`'${sql.raw(ID_PREFIXES[kind])}_' || ${sql.join(signs, sql` || `)}`
}
