import { commit } from "../db/commit.ts"
import type { Email } from "../emails/contract.ts"
import { foundEmail, selectEmail } from "../emails/get.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../env.ts"
import { conflict } from "../http/errors.ts"
import { reportOf } from "../queues/report.ts"
import { recordingOf } from "./record.ts"

/** Cancels an email that no consumer has claimed yet. */
export async function cancelEmail(ctx: Ctx, id: string): Promise<Email> {
  const { team } = await ctx.caller()
  const report = reportOf({ teamId: team.id, emailId: id }, "cancelled", ctx.now())
  const { shown } = await commit(ctx, {
    ...recordingOf(ctx, { ...report, unlessClaimed: true }),
    shown: selectEmail(ctx, id),
  })
  const email = foundEmail(shown[0])
  if (email.status !== "cancelled") {
    throw conflict(`An email in status '${email.status}' can no longer be cancelled.`)
  }
  return toEmail(email)
}
