import { and, eq, getTableColumns, sql } from "drizzle-orm"
import { countUnsubscribed } from "../campaigns/counts.ts"
import type { Ctx, Work } from "../env.ts"
import type { InputOf } from "../http/endpoint.ts"
import { announceEvents, storeEvents } from "../webhooks/events.ts"
import { foundBook, selectBook } from "./books.ts"
import type { unsubscribeContacts as contract } from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { consentEvent } from "./events.ts"
import { contactBooks, contacts } from "./table.ts"

export async function unsubscribeContacts(
  ctx: Ctx,
  { email, bookId, reason }: InputOf<typeof contract>["json"],
) {
  const { team } = await ctx.caller()
  if (bookId !== undefined) {
    const [[book]] = await ctx.batch([selectBook(ctx, bookId)])
    foundBook(book)
  }
  const unsubscribed = await unsubscribeAddress(ctx, {
    teamId: team.id,
    email,
    bookId,
    reason: reason ?? null,
  })
  return { unsubscribed }
}

interface Unsubscription {
  teamId: string
  email: string
  /** Every book of the team when absent. */
  bookId?: string | undefined
  reason: string | null
  /** The campaign whose link it was. */
  campaignId?: string | undefined
}

/** Takes back the consent of an address and says of how many contacts; writes no suppression. */
export async function unsubscribeAddress(
  work: Work,
  { teamId, email, bookId, reason, campaignId }: Unsubscription,
): Promise<number> {
  const subscribed = await work.db
    .select(getTableColumns(contacts))
    .from(contactBooks)
    .innerJoin(
      contacts,
      and(eq(contacts.teamId, contactBooks.teamId), eq(contacts.bookId, contactBooks.id)),
    )
    .where(
      and(
        eq(contactBooks.teamId, teamId),
        bookId === undefined ? undefined : eq(contactBooks.id, bookId),
        eq(contacts.email, email),
        eq(contacts.subscribed, true),
      ),
    )
  if (subscribed.length === 0) return 0
  const fields = {
    subscribed: false,
    unsubscribeReason: reason,
    unsubscribedAt: work.now(),
    updatedAt: work.now(),
  }
  const events = subscribed.map((row) => consentEvent(work, { ...row, ...fields }, row))
  const books = JSON.stringify(subscribed.map((row) => row.bookId))
  const affected = and(
    eq(contacts.teamId, teamId),
    sql`${contacts.bookId} in (select value from json_each(${books}))`,
    eq(contacts.email, email),
    eq(contacts.subscribed, true),
  )
  const [, , changed] = await work.db.batch([
    countUnsubscribed(
      work,
      { teamId, campaignId: campaignId ?? "" },
      sql`exists (select 1 from contacts where ${affected})`,
    ),
    moveCounts(
      work,
      teamId,
      sql`select book_id, 0 as contacts, -1 as subscribed from contacts where ${affected}`,
    ),
    work.db.update(contacts).set(fields).where(affected).returning({ id: contacts.id }),
    ...storeEvents(work, events),
  ])
  work.defer(announceEvents(work, events))
  return changed.length
}
