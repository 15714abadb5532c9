import { and, eq, inArray, sql } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import type { Email } from "../emails/contract.ts"
import { found, selectEmail } from "../emails/get.ts"
import { emails } from "../emails/table.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../env.ts"
import { conflict } from "../http/errors.ts"
import { reportOf } from "../queues/report.ts"
import { keepChanges } from "../stream/outbox.ts"
import { publishKept } from "../stream/publish.ts"
import { countEnded, wakeCampaigns } from "./campaign-counts.ts"
import { writeTimeline } from "./timeline.ts"

/** Cancels an email that no consumer has claimed yet. */
export async function cancelEmail(ctx: Ctx, id: string): Promise<Email> {
  const { team } = await ctx.caller()
  const event = reportOf({ teamId: team.id, emailId: id }, "cancelled", ctx.now())
  const mayBeCancelled = and(
    eq(emails.teamId, team.id),
    eq(emails.id, id),
    inArray(emails.status, ["queued", "scheduled"]),
  )
  const { moved, kept, shown } = await namedBatch(ctx, {
    moved: countEnded(
      ctx,
      sql`select team_id, campaign_id, id as email_id from emails where ${mayBeCancelled}`,
    ),
    kept: keepChanges(
      ctx,
      sql`select team_id, 'email' as type, id from emails where ${mayBeCancelled}`,
    ),
    timeline: writeTimeline(
      ctx,
      sql`select team_id, id, ${event.id}, ${event.type}, ${event.occurredAt}, '{}' from emails
        where ${mayBeCancelled}`,
    ),
    status: ctx.db.update(emails).set({ status: "cancelled", dueAt: null }).where(mayBeCancelled),
    shown: selectEmail(ctx, id),
  })
  const email = found(shown[0])
  if (email.status !== "cancelled") {
    throw conflict(`An email in status '${email.status}' can no longer be cancelled.`)
  }
  ctx.defer(wakeCampaigns(ctx, moved))
  ctx.defer(publishKept(ctx, kept))
  return toEmail(email)
}
