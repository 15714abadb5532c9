import { and, eq } from "drizzle-orm"
import { namedBatch } from "../db/client.ts"
import type { Ctx } from "../env.ts"
import { conflict, invalid } from "../http/errors.ts"
import type { Email } from "./contract.ts"
import { found, isEmail, selectEmail } from "./get.ts"
import { enqueueSends } from "./queue.ts"
import { emails } from "./table.ts"
import { toEmail } from "./view.ts"

/** Moves a scheduled email to another time in the future. */
export async function rescheduleEmail(ctx: Ctx, id: string, scheduledAt: number): Promise<Email> {
  const { team } = await ctx.caller()
  if (scheduledAt <= ctx.now()) throw invalid(["scheduledAt"], "Must be in the future")
  const {
    rescheduled: [row],
  } = await namedBatch(ctx, {
    reschedule: ctx.db
      .update(emails)
      .set({ scheduledAt, notBefore: scheduledAt, dueAt: scheduledAt })
      .where(and(isEmail(ctx, id), eq(emails.status, "scheduled"))),
    rescheduled: selectEmail(ctx, id),
  })
  const email = found(row)
  if (email.status !== "scheduled") {
    throw conflict(`An email in status '${email.status}' cannot be rescheduled.`)
  }
  ctx.defer(enqueueSends(ctx, [{ teamId: team.id, notBefore: scheduledAt, bulk: false }]))
  return toEmail(email)
}
