import { and, eq, sql } from "drizzle-orm"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import { UNSUBSCRIBE_REASONS } from "../../contacts/shapes.ts"
import { contactBooks, contacts } from "../../contacts/table.ts"
import { unsubscribeAddress } from "../../contacts/unsubscribe/unsubscribe.ts"
import { emails } from "../../emails/table.ts"
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
    .select({ recipients: emails.recipients, contactId: contacts.id, bookId: contactBooks.id })
    .from(emails)
    .crossJoin(contactBooks)
    .crossJoin(contacts)
    .where(
      and(
        eq(emails.teamId, teamId),
        eq(emails.id, emailId),
        eq(contactBooks.teamId, emails.teamId),
        and(
          eq(contacts.teamId, emails.teamId),
          eq(contacts.bookId, contactBooks.id),
          sql`${contacts.id} = ${emails.contactId}`,
        ),
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
