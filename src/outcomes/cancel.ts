import { sql } from "drizzle-orm"
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

/** Takes back an email that no consumer has claimed yet. */
export async function cancelEmail(ctx: Ctx, id: string): Promise<Email> {
  const { team } = await ctx.caller()
  const event = reportOf({ teamId: team.id, emailId: id }, "cancelled", ctx.now())
  const mayBeCancelled = sql`team_id = ${team.id} and id = ${id} and status in ('queued', 'scheduled')`
  const [moved, kept, , , [row]] = await ctx.batch([
    countEnded(
      ctx,
      sql`select team_id, campaign_id, id as email_id from emails where ${mayBeCancelled}`,
    ),
    keepChanges(ctx, sql`select team_id, 'email' as type, id from emails where ${mayBeCancelled}`),
    ctx.db.run(sql`insert into email_events (team_id, email_id, id, type, occurred_at)
      select team_id, id, ${event.id}, ${event.type}, ${event.occurredAt} from emails
      where ${mayBeCancelled}`),
    ctx.db.update(emails).set({ status: "cancelled", dueAt: null }).where(mayBeCancelled),
    selectEmail(ctx, id),
  ])
  const email = found(row)
  if (email.status !== "cancelled") {
    throw conflict(`An email in status '${email.status}' can no longer be cancelled.`)
  }
  ctx.defer(wakeCampaigns(ctx, moved))
  ctx.defer(publishKept(ctx, kept))
  return toEmail(email)
}
