import { and, eq, sql } from "drizzle-orm"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import { campaigns } from "../../campaigns/table.ts"
import { UNSUBSCRIBE_REASONS } from "../../contacts/shapes.ts"
import { contactBooks, contacts } from "../../contacts/table.ts"
import { unsubscribeAddress } from "../../contacts/unsubscribe/unsubscribe.ts"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { sequences } from "../../sequences/table.ts"
import type { ReceivedRow } from "../table.ts"
import { readReportAddress } from "./report-addresses.ts"

/** The campaign of the email may be deleted. */
const bookOfContact = sql`(
  select ${contacts.bookId} from ${contactBooks} cross join ${contacts}
    on ${contacts.teamId} = ${contactBooks.teamId} and ${contacts.bookId} = ${contactBooks.id}
      and ${contacts.id} = ${emails.contactId}
  where ${contactBooks.teamId} = ${emails.teamId})`

/** Does what the one-click link of the email does. Answers whether the message is for that. */
export async function unsubscribeByMail(
  work: Work,
  { teamId, envelopeTo }: ReceivedRow,
): Promise<boolean> {
  const address = readReportAddress(work.settings, envelopeTo)
  if (address?.kind !== "unsubscribe") return false
  const { emailId } = address
  const [found] = await work.db
    .select({
      recipients: emails.recipients,
      contactId: emails.contactId,
      bookId: sql<string>`coalesce(${campaigns.bookId}, ${sequences.bookId}, ${bookOfContact}, '')`,
    })
    .from(emails)
    .leftJoin(
      campaigns,
      and(eq(campaigns.teamId, emails.teamId), eq(campaigns.id, emails.campaignId)),
    )
    .leftJoin(
      sequences,
      and(eq(sequences.teamId, emails.teamId), eq(sequences.id, emails.campaignId)),
    )
    .where(and(eq(emails.teamId, teamId), eq(emails.id, emailId)))
  const email = found?.recipients[0]?.address
  if (!found?.contactId || email === undefined) return true
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
