import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm"
import { DAY_MS } from "../../../lib/time.ts"
import { apiKeys } from "../../access/keys/table.ts"
import { members } from "../../access/people/table.ts"
import { domains } from "../../domains/table.ts"
import { providerPauses } from "../../emails/sending/table.ts"
import { emails } from "../../emails/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { teams } from "../../teams/table.ts"
import { webhooks } from "../../webhooks/events/table.ts"
import { alertsOn } from "../alerts.ts"
import { countWindow, type QuarterCounts, selectDays } from "../day-window.ts"
import type { Overview } from "./contract.ts"

const USUAL_DAYS = 7
const OBJECTS_NAMED = 10

/** One round trip. Each part of the checklist reads a row or two. */
export async function getOverview(ctx: Ctx): Promise<Overview> {
  const now = ctx.now()
  const [[days, disabled, failed, [done], paused], memberCount] = await Promise.all([
    ctx.batch([
      selectDays(ctx, USUAL_DAYS + 1),
      ctx.db
        .select({
          id: webhooks.id,
          label: sql<string>`coalesce(${webhooks.name}, ${webhooks.url})`.as("label"),
        })
        .from(webhooks)
        .where(and(eq(webhooks.teamId, ctx.team), isNotNull(webhooks.disabledReason)))
        .orderBy(desc(webhooks.id))
        .limit(OBJECTS_NAMED),
      ctx.db
        .select({ id: domains.id, name: domains.name })
        .from(domains)
        .where(and(eq(domains.teamId, ctx.team), eq(domains.status, "failed")))
        .orderBy(desc(domains.id))
        .limit(OBJECTS_NAMED),
      selectChecklist(ctx),
      ctx.db.select({ provider: providerPauses.provider }).from(providerPauses),
    ]),
    countMembersElsewhere(ctx),
  ])
  const byDay = new Map(days.map((day) => [day.day, day]))
  const today = countWindow(byDay, now)
  const before = Array.from({ length: USUAL_DAYS }, (_, index) =>
    countWindow(byDay, now - (index + 1) * DAY_MS),
  )
  return {
    today,
    usual: before.some(({ sent }) => sent > 0) ? meanOf(before) : null,
    alerts: [
      ...alertsOn(today).map((alert) => ({ ...alert, id: null, label: null })),
      ...paused.map(({ provider }) => objectAlert("provider", null, provider)),
      ...failed.map(({ id, name }) => objectAlert("domain", id, name)),
      ...disabled.map(({ id, label }) => objectAlert("webhook", id, label)),
    ].sort((a, b) => Number(b.level === "critical") - Number(a.level === "critical")),
    checklist: {
      domainVerified: Boolean(done?.domainVerified),
      keyCreated: Boolean(done?.keyCreated),
      firstEmailSent: Boolean(done?.firstEmailSent),
      webhookCreated: Boolean(done?.webhookCreated),
      postalAddressSet: Boolean(done?.postalAddressSet),
      secondMember: (memberCount ?? done?.members ?? 0) > 1,
    },
  }
}

const objectAlert = (
  kind: "webhook" | "domain" | "provider",
  id: string | null,
  label: string,
) => ({
  kind,
  level: kind === "domain" ? ("critical" as const) : ("warning" as const),
  rate: null,
  id,
  label,
})

function meanOf(windows: readonly QuarterCounts[]): QuarterCounts {
  const mean = (name: keyof QuarterCounts) =>
    Math.round((windows.reduce((sum, counts) => sum + counts[name], 0) / windows.length) * 10) / 10
  return {
    sent: mean("sent"),
    delivered: mean("delivered"),
    bounced: mean("bounced"),
    complained: mean("complained"),
  }
}

/** Null where the people are in the same database as the team's data. */
async function countMembersElsewhere(ctx: Ctx): Promise<number | null> {
  const { people } = ctx
  if (people === ctx) return null
  const [first] = await people.batch([firstMembers(people)])
  return first.length
}

const firstMembers = (ctx: Ctx) =>
  ctx.db
    .select({ userId: members.userId })
    .from(members)
    .where(eq(members.teamId, ctx.team))
    .limit(2)

/** An email that went into the test inbox counts as sent. */
function selectChecklist(ctx: Ctx) {
  const has = (
    table: typeof domains | typeof apiKeys | typeof webhooks | typeof emails,
    more = sql`true`,
  ) => sql<number>`exists (select 1 from ${table} where ${table.teamId} = ${ctx.team} and ${more})`
  return ctx.db
    .select({
      domainVerified: has(domains, eq(domains.status, "verified")).as("domain_verified"),
      keyCreated: has(apiKeys, isNull(apiKeys.revokedAt)).as("key_created"),
      firstEmailSent: has(emails).as("first_email_sent"),
      webhookCreated: has(webhooks).as("webhook_created"),
      postalAddressSet: sql<number>`${teams.postalAddress} is not null`.as("postal_address_set"),
      members: sql<number>`(select count(*) from ${firstMembers(ctx)})`.as("members"),
    })
    .from(teams)
    .where(eq(teams.id, ctx.team))
}
