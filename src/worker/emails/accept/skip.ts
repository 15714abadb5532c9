import { logError } from "../../../lib/log.ts"
import type { Ctx } from "../../platform/context.ts"
import type { Blocked } from "../../suppressions/blocking.ts"
import { recordEvents } from "../outcomes/record.ts"
import { reportOf } from "../outcomes/report.ts"
import { addressesOf, type Item } from "./prepare.ts"
import { selectVerdicts, toAsked } from "./verdict.ts"

export const skipsSuppressed = ({ input }: Item) => input.onSuppressed === "skip"

/** The suppressed recipients of each item, as a statement of the batch that stores them. */
export const selectSkipped = (ctx: Ctx, items: readonly Item[]) =>
  selectVerdicts(ctx, { asked: JSON.stringify(items.map((item) => toAsked(ctx, [item]))) })

/** Cancels the emails that have nobody left. If this fails, the claim of an email does it. */
export async function cancelUnsendable(
  ctx: Ctx,
  items: readonly Item[],
  verdicts: readonly { suppressed: string }[],
): Promise<void> {
  const { team } = await ctx.caller()
  const reports = items.flatMap(({ id, input }, index) => {
    const blocked: Blocked[] = JSON.parse(verdicts[index]?.suppressed ?? "[]")
    const recipients = blocked.map(({ email }) => email)
    if (!addressesOf(input).every((address) => recipients.includes(address))) return []
    const ref = { teamId: team.id, emailId: id }
    const data = { reason: "suppressed_recipient", recipients }
    return [
      // A millisecond earlier, so that the timeline lists it before `cancelled`.
      reportOf(ref, "suppressed", ctx.now() - 1, { recipients }),
      reportOf(ref, "cancelled", ctx.now(), data),
    ].map((report) => ({ ...report, unlessClaimed: true as const }))
  })
  if (reports.length > 0) await recordEvents(ctx, reports).catch((error) => logError(error))
}
