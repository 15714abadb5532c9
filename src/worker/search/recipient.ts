import { and, desc, eq, inArray, sql } from "drizzle-orm"
import { normalizeAddress } from "../../lib/address.ts"
import { b, contactBooks as books, c } from "../contacts/table.ts"
import { emailRecipients, emails } from "../emails/table.ts"
import { toEmail } from "../emails/view.ts"
import type { Ctx } from "../platform/context.ts"
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

/** Each book needs a look-up of its own, so the number of books is limited. */
const selectConsents = (ctx: Ctx, address: string) =>
  ctx.db.all<ConsentRow>(sql`
    select ${b.id} as bookId, ${b.name} as bookName, ${c.id} as contactId, ${c.firstName} as firstName,
      ${c.lastName} as lastName, ${c.subscribed}, ${c.unsubscribeReason} as unsubscribeReason,
      ${c.unsubscribedAt} as unsubscribedAt, ${c.createdAt} as createdAt
    from (select ${books.teamId}, ${books.id}, ${books.name} from ${books}
      where ${books.teamId} = ${ctx.team} order by ${books.id} desc limit ${BOOKS_SEARCHED}) b
    cross join contacts c on ${c.teamId} = ${b.teamId} and ${c.bookId} = ${b.id} and ${c.email} = ${address}
    limit ${BOOKS_SHOWN}`)
