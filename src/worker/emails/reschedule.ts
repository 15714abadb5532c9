import { and, eq } from "drizzle-orm"
import { assertMaySendFrom, isDomainOfKey } from "../access/may-send-from.ts"
import type { Ctx } from "../platform/context.ts"
import { afterCommit, commit } from "../platform/db/commit.ts"
import { conflict, invalid } from "../platform/http/errors.ts"
import type { Email } from "./contract.ts"
import { emailOrNotFound, isEmail, selectEmail } from "./get.ts"
import { enqueueSends } from "./queue.ts"
import { emails } from "./table.ts"
import { toEmail } from "./view.ts"

export async function rescheduleEmail(ctx: Ctx, id: string, scheduledAt: number): Promise<Email> {
  if (scheduledAt <= ctx.now()) throw invalid(["scheduledAt"], "Must be in the future")
  const isOwn = await isDomainOfKey(ctx, emails.domainId)
  const { row } = await commit(ctx, {
    rescheduled: afterCommit(
      ctx.db
        .update(emails)
        .set({ scheduledAt, notBefore: scheduledAt, dueAt: scheduledAt })
        .where(and(isEmail(ctx, id), eq(emails.status, "scheduled"), isOwn))
        .returning({ teamId: emails.teamId }),
      (work, rescheduled) =>
        enqueueSends(
          work,
          rescheduled.map((ref) => ({ ...ref, notBefore: scheduledAt, bulk: false })),
        ),
    ),
    row: selectEmail(ctx, id),
  })
  const email = emailOrNotFound(row[0])
  await assertMaySendFrom(ctx, email.domainId)
  if (email.status !== "scheduled") {
    throw conflict(`An email in status '${email.status}' cannot be rescheduled.`)
  }
  return toEmail(email)
}
