import { and, eq, sql } from "drizzle-orm"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import { UNSUBSCRIBE_REASONS } from "../../contacts/shapes.ts"
import { b, c } from "../../contacts/table.ts"
import { unsubscribeAddress } from "../../contacts/unsubscribe/unsubscribe.ts"
import { e } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import type { ReceivedRow } from "../table.ts"
import { readReportAddress } from "./report-addresses.ts"

/** Does what the one-click link of the email does. Answers whether the message is for that. */
export async function unsubscribeByMail(
  work: Work,
  { teamId, envelopeTo }: ReceivedRow,
): Promise<boolean> {
  const address = readReportAddress(work.settings, envelopeTo)
  if (address?.kind !== "unsubscribe") return false
  const { emailId } = address
  const [found] = await work.db
    .select({ recipients: e.recipients, contactId: c.id, bookId: b.id })
    .from(e)
    .crossJoin(b)
    .crossJoin(c)
    .where(
      and(
        eq(e.teamId, teamId),
        eq(e.id, emailId),
        eq(b.teamId, e.teamId),
        and(eq(c.teamId, e.teamId), eq(c.bookId, b.id), sql`${c.id} = ${e.contactId}`),
      ),
    )
  const email = found?.recipients[0]?.address
  if (!found || email === undefined) return true
  const { contactId, bookId } = found
  const by = UNSUBSCRIBE_REASONS.mail
  await unsubscribeAddress(work, {
    teamId,
    email,
    bookId,
    reason: by,
    actor: { by, actorId: null },
    link: { teamId, email, bookId, emailId, contactId },
    alongside: (condition) => countUnsubscribed(work, { teamId, emailId }, condition),
  })
  return true
}
