import { eq } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { senderOf } from "../../teams/notices/sender.ts"
import { sendSystemMail } from "../../teams/notices/system-mail.ts"
import { members, users } from "./table.ts"

/** After the reply: mails the person that a way to sign in has changed. */
export function thenMailChange(work: Work, email: string, change: string): undefined {
  work.defer(mailChange(work, email, change))
}

async function mailChange(work: Work, email: string, change: string): Promise<void> {
  const rows = await work.db
    .select({ teamId: members.teamId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(users.email, email))
  const from = await senderOf(
    work,
    rows.map(({ teamId }) => teamId),
  )
  if (!from) return
  await sendSystemMail(work, from, {
    to: email,
    subject: change.replace(/\.$/, ""),
    before: [change, "If it was you, nothing is to be done. Your account:"],
    link: `${work.settings.BASE_URL}/dashboard/account`,
    after: [
      'If it was not you, set a new password with "Forgot your password?" on the sign-in page. That ends all sessions and removes all passkeys.',
    ],
  })
}
