import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import { untilWon } from "../../lib/rounds.ts"
import type { Ctx, Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { bookOrNotFound, selectBook } from "./books.ts"
import type { unsubscribeContacts as contract } from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { type ContactRow, contactBooks, contacts, nextUpdate } from "./table.ts"

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
  })
  return { unsubscribed }
}

interface Unsubscription {
  teamId: string
  email: string
  /** All books of the team when absent. */
  bookId?: string | undefined
  reason: string | null
  /** More statements for the batch, which write if the condition holds. */
  alongside?: (condition: SQL) => readonly Query[]
}

/** Unsubscribes all contacts with an address, and answers how many. Writes no suppression. */
export const unsubscribeAddress = (work: Work, unsubscription: Unsubscription): Promise<number> =>
  untilWon(async () => {
    const subscribed = await selectSubscribed(work, unsubscription)
    return subscribed.length === 0 ? 0 : unsubscribe(work, unsubscription, subscribed)
  })

const selectSubscribed = (work: Work, { teamId, email, bookId }: Unsubscription) =>
  work.db
    .select(getTableColumns(contacts))
    .from(contactBooks)
    .crossJoin(contacts)
    .where(
      and(
        eq(contactBooks.teamId, teamId),
        bookId === undefined ? undefined : eq(contactBooks.id, bookId),
        eq(contacts.teamId, contactBooks.teamId),
        eq(contacts.bookId, contactBooks.id),
        eq(contacts.email, email),
        // The plus keeps SQLite from the index of consent: the index of addresses is faster.
        sql`+${contacts.subscribed} = 1`,
      ),
    )

/** All contacts or none; answers nothing if another call has changed one since it was read. */
async function unsubscribe(
  work: Work,
  { teamId, reason, alongside = () => [] }: Unsubscription,
  rows: readonly ContactRow[],
): Promise<number | undefined> {
  const fields = {
    subscribed: false,
    unsubscribeReason: reason,
    unsubscribedAt: work.now(),
    updatedAt: nextUpdate(work, rows),
  }
  const events = rows.map((row) => contactEvent(work, "unsubscribed", { ...row, ...fields }))
  const read = rows.map(({ bookId, id, updatedAt }) => ({ bookId, id, updatedAt }))
  const { bookId, id, updatedAt } = jsonFields<(typeof read)[number]>()
  const isAsRead = sql`${contacts.teamId} = ${teamId}
    and (${contacts.bookId}, ${contacts.id}, ${contacts.updatedAt}) in
      (select ${bookId}, ${id}, ${updatedAt} from ${jsonRows(read)})`
  const areAll = sql`(select count(*) from ${contacts} where ${isAsRead}) = ${rows.length}`
  const { won } = await commit(work, {
    won: work.db.all(sql`select 1 where ${areAll}`),
    alongside: alongside(areAll),
    counts: moveCounts(
      work,
      teamId,
      sql`select ${contacts.bookId}, 0 as contacts, -1 as subscribed
        from ${contacts} where ${isAsRead} and ${areAll}`,
    ),
    events: storeEvents(work, events, areAll),
    contacts: work.db.update(contacts).set(fields).where(and(isAsRead, areAll)),
  })
  return won.length === 0 ? undefined : rows.length
}
