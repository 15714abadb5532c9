import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { conflict } from "../platform/http/errors.ts"
import type { Email } from "./contract.ts"
import { emailOrNotFound, selectEmail } from "./get.ts"
import { recordingOf } from "./outcomes/record.ts"
import { reportOf } from "./outcomes/report.ts"
import { toEmail } from "./view.ts"

/** Cancels an email that no consumer has claimed yet. */
export async function cancelEmail(ctx: Ctx, id: string): Promise<Email> {
  const { team } = await ctx.caller()
  const report = reportOf({ teamId: team.id, emailId: id }, "cancelled", ctx.now())
  const { shown } = await commit(ctx, {
    ...recordingOf(ctx, [{ ...report, unlessClaimed: true }]),
    shown: selectEmail(ctx, id),
  })
  const email = emailOrNotFound(shown[0])
  if (email.status !== "cancelled") {
    throw conflict(`An email in status '${email.status}' can no longer be cancelled.`)
  }
  return toEmail(email)
}
