import { and, eq, sql } from "drizzle-orm"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { contactBooks, contacts } from "../table.ts"
import type { Subscriber } from "./recipient-link.ts"

/**
 * A table `a`, for a join: the `address` that the link was sent to, and the one that its contact has
 * now. With `in`, SQLite would read every contact of a book.
 */
export const addressesOf = ({ teamId, email, bookId, emailId, contactId }: Subscriber) => sql`(
  select ${email} as address
  union select ${contacts.email} from contacts
    where ${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${bookId}
      and ${contacts.id} = coalesce(${contactId ?? null}, (
      select ${emails.contactId} from emails where ${emails.teamId} = ${teamId}
        and ${emails.id} = ${emailId ?? null}))) a`

export const selectBookOfLink = (work: Work, { teamId, bookId }: Subscriber) =>
  work.db
    .select({ id: contactBooks.id })
    .from(contactBooks)
    .where(and(eq(contactBooks.teamId, teamId), eq(contactBooks.id, bookId)))

/** A team's books are looked through one by one. */
const MAX_BOOKS = 1_000

/** The contacts that a link speaks for, in one book or in all of the team, oldest book first. */
export const selectLinkContacts = (work: Work, subscriber: Subscriber, bookId?: string) =>
  work.db
    .select({ contact: contacts, book: contactBooks.name })
    .from(contactBooks)
    .crossJoin(addressesOf(subscriber))
    .crossJoin(contacts)
    .where(
      and(
        eq(contactBooks.teamId, subscriber.teamId),
        bookId === undefined ? undefined : eq(contactBooks.id, bookId),
        eq(contacts.teamId, contactBooks.teamId),
        eq(contacts.bookId, contactBooks.id),
        eq(contacts.email, sql`a.address`),
      ),
    )
    .orderBy(contactBooks.id)
    .limit(MAX_BOOKS)

export type LinkContact = Awaited<ReturnType<typeof selectLinkContacts>>[number]
