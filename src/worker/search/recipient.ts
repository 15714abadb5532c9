import { and, desc, eq, inArray, sql } from "drizzle-orm"
import { normalizeAddress } from "../../lib/address.ts"
import { contactBooks, contacts } from "../contacts/table.ts"
import { emailRecipients, emails } from "../emails/table.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../platform/context.ts"
import { columnsOf } from "../platform/db/columns.ts"
import type { OutputOf } from "../platform/http/endpoint.ts"
import { notFound } from "../platform/http/errors.ts"
import { toPage } from "../platform/http/page.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { suppressions } from "../suppressions/table.ts"
import type { getRecipient as contract } from "./contract.ts"

const EMAILS_SHOWN = 25
const BOOKS_SHOWN = 100
const BOOKS_SEARCHED = 1_000

/** One round trip. */
export async function getRecipient(ctx: Ctx, given: string): Promise<OutputOf<typeof contract>> {
  const address = normalizeAddress(given.trim())
  if (!address) throw notFound("Address")
  const [[suppression], consents, mail] = await ctx.batch([
    ctx.db
      .select()
      .from(suppressions)
      .where(
        and(
          eq(suppressions.teamId, ctx.team),
          inArray(suppressions.email, [address, erasedForm(ctx.settings, address)]),
        ),
      )
      .limit(1),
    selectConsents(ctx, address),
    ctx.db
      .select({ email: emails })
      .from(emailRecipients)
      .innerJoin(
        emails,
        and(eq(emails.teamId, emailRecipients.teamId), eq(emails.id, emailRecipients.emailId)),
      )
      .where(and(eq(emailRecipients.teamId, ctx.team), eq(emailRecipients.address, address)))
      .orderBy(desc(emailRecipients.emailId))
      .limit(EMAILS_SHOWN + 1),
  ])
  const page = toPage(
    mail.map(({ email }) => email),
    EMAILS_SHOWN,
  )
  return {
    email: address,
    suppression: suppression ? { ...suppression, email: address } : null,
    contacts: consents.map((row) => ({ ...row, subscribed: Boolean(row.subscribed) })),
    emails: { data: page.data.map(toEmail), nextCursor: page.nextCursor },
  }
}

interface ConsentRow {
  bookId: string
  bookName: string
  contactId: string
  firstName: string | null
  lastName: string | null
  subscribed: 0 | 1
  unsubscribeReason: string | null
  unsubscribedAt: number | null
  createdAt: number
}

const book = columnsOf<"team_id" | "id" | "name">("book")

/** Each book needs a look-up of its own, so the number of books is limited. */
const selectConsents = (ctx: Ctx, address: string) =>
  ctx.db.all<ConsentRow>(sql`
    select ${book.id} as bookId, ${book.name} as bookName, ${contacts.id} as contactId,
      ${contacts.firstName} as firstName,
      ${contacts.lastName} as lastName, ${contacts.subscribed},
        ${contacts.unsubscribeReason} as unsubscribeReason,
      ${contacts.unsubscribedAt} as unsubscribedAt, ${contacts.createdAt} as createdAt
    from (select ${contactBooks.teamId}, ${contactBooks.id}, ${contactBooks.name} from ${contactBooks}
      where ${contactBooks.teamId} = ${ctx.team}
        order by ${contactBooks.id} desc limit +${BOOKS_SEARCHED}) book
    cross join contacts on ${contacts.teamId} = ${book.team_id} and ${contacts.bookId} = ${book.id}
      and ${contacts.email} = ${address}
    limit +${BOOKS_SHOWN}`)
