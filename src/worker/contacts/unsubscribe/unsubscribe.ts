import { and, eq, type SQL, sql } from "drizzle-orm"
import { untilWon } from "../../../lib/until-won.ts"
import type { Ctx, Work } from "../../platform/context.ts"
import { namedBatch, type Query } from "../../platform/db/client.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { bookOrNotFound, selectBook } from "../books.ts"
import { changeConsents } from "../consents/change-consents.ts"
import { type ConsentActor, consentActor } from "../consents/consents.ts"
import { keepRefusalOfLink } from "../consents/refusals.ts"
import type { unsubscribeContacts as contract } from "../contract.ts"
import { addressesOf, selectBookOfLink } from "../links/link-addresses.ts"
import type { Subscriber } from "../links/recipient-link.ts"
import { contactBooks, contactColumns, contacts } from "../table.ts"

export async function unsubscribeContacts(
  ctx: Ctx,
  { email, bookId, reason }: InputOf<typeof contract>["json"],
) {
  const { team } = await ctx.caller()
  if (bookId !== undefined) {
    const [[book]] = await ctx.batch([selectBook(ctx, bookId)])
    bookOrNotFound(book)
  }
  const unsubscribed = await unsubscribeAddress(ctx, {
    teamId: team.id,
    email,
    bookId,
    reason: reason ?? null,
    actor: await consentActor(ctx),
  })
  return { unsubscribed }
}

interface Unsubscription {
  teamId: string
  email: string
  /** All books of the team when absent. */
  bookId?: string | undefined
  /** The link that was used: the contact of its email is found by another address, too. */
  link?: Subscriber
  reason: string | null
  actor: ConsentActor
  /** More statements for the batch, which write if the condition holds. */
  alongside?: (condition: SQL) => readonly Query[]
}

/** Unsubscribes all contacts with an address, and answers how many. Writes no suppression. */
export const unsubscribeAddress = (work: Work, unsubscription: Unsubscription): Promise<number> =>
  untilWon(async () => {
    const subscribed = await readSubscribed(work, unsubscription)
    const changes = subscribed.map((old) => ({
      old,
      consent: { subscribed: false, topics: old.topics },
      refuses: true,
    }))
    return changes.length === 0 ? 0 : changeConsents(work, unsubscription, changes)
  })

/** A link speaks for every book once its own was deleted. */
async function readSubscribed(work: Work, unsubscription: Unsubscription) {
  const { link, bookId } = unsubscription
  if (!link) return selectSubscribed(work, unsubscription)
  const { found, books } = await namedBatch(work.db, {
    kept: keepRefusalOfLink(work, link),
    found: selectSubscribed(work, unsubscription),
    books: selectBookOfLink(work, link),
  })
  if (bookId === undefined || books.length > 0) return found
  return selectSubscribed(work, { ...unsubscription, bookId: undefined })
}

const selectSubscribed = (work: Work, { teamId, email, bookId, link }: Unsubscription) =>
  work.db
    .select(contactColumns)
    .from(contactBooks)
    .crossJoin(link ? addressesOf(link) : sql`(select ${email} as address) a`)
    .crossJoin(contacts)
    .where(
      and(
        eq(contactBooks.teamId, teamId),
        bookId === undefined ? undefined : eq(contactBooks.id, bookId),
        eq(contacts.teamId, contactBooks.teamId),
        eq(contacts.bookId, contactBooks.id),
        eq(contacts.email, sql`a.address`),
        // The plus keeps SQLite from the index of consent: the index of addresses is faster.
        sql`(+${contacts.subscribed} = 1 or ${contacts.confirmation} = 'pending')`,
      ),
    )
