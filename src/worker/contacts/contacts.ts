import { and, eq, exists, sql } from "drizzle-orm"
import { canonicalJson } from "../../lib/json.ts"
import { untilWon } from "../../lib/until-won.ts"
import type { Ctx } from "../platform/context.ts"
import { isTaken, namedBatch } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../platform/http/errors.ts"
import { enterSubscribed } from "../sequences/runs/enter.ts"
import { areKnown, selectKnown } from "../topics/known.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { selectBook } from "./books.ts"
import { mergeChoices, readChoices, refuseUnknown, strictest } from "./consents/choices.ts"
import { consentActor, consentEntries, withEntries } from "./consents/consents.ts"
import type * as contract from "./contract.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { nameKey } from "./search.ts"
import type { Contact } from "./shapes.ts"
import { type ContactRow, contactColumns, contacts, nextUpdate } from "./table.ts"

export async function getContact(ctx: Ctx, bookId: string, id: string): Promise<Contact> {
  const [[row]] = await ctx.batch([selectContact(ctx, bookId, id)])
  return orNotFound(row, "Contact")
}

/**
 * A change of consent has its own event. A call that changes nothing has none. `changesOf` answers
 * more changes, which depend on the contact as it is.
 */
export async function updateContact(
  ctx: Ctx,
  bookId: string,
  id: string,
  changes: Changes,
  changesOf: (contact: Contact) => Changes = () => ({}),
): Promise<Contact> {
  let wanted = changes
  return untilWon(async () => {
    const ids = chosenIn(wanted)
    const { row, known } = await namedBatch(ctx, {
      row: selectContact(ctx, bookId, id),
      known: selectKnown(ctx, ctx.team, ids),
    })
    const old = orNotFound(row[0], "Contact")
    refuseUnknown(ids, known)
    wanted = differences(old, { ...wanted, ...changesOf(old) })
    return Object.keys(wanted).length === 0 ? old : change(ctx, old, wanted)
  })
}

/** Answers nothing if another call has changed the contact since it was read. */
async function change(
  ctx: Ctx,
  old: ContactRow,
  changed: Changes,
): Promise<ContactRow | undefined> {
  const { firstName, lastName, subscribed, topics } = changed
  const flips = subscribed !== undefined
  if (subscribed && old.confirmation === "pending") throw waitsForPerson()
  const theirs = await readChoices(ctx, old.teamId, changed.email)
  const fields = {
    ...changed,
    ...(firstName !== undefined && { firstKey: nameKey(firstName) }),
    ...(lastName !== undefined && { lastKey: nameKey(lastName) }),
    ...(flips && consent(ctx, subscribed)),
    ...((changed.email !== undefined || (flips && old.confirmation === "pending")) && {
      confirmation: null,
      confirmedAt: null,
    }),
    topics: mergeChoices(strictest([old.topics, theirs.topics]), topics ?? {}),
    updatedAt: nextUpdate(ctx, [old]),
  }
  const fresh = { ...old, ...fields } as ContactRow
  const before = flips ? { ...old, subscribed: !subscribed } : old
  const entries = consentEntries(fresh.updatedAt, await consentActor(ctx), before, fresh)
  const isAsRead = and(
    isListed(ctx, old.bookId, old.id),
    eq(contacts.updatedAt, old.updatedAt),
    areKnown(ctx.team, chosenIn(changed)),
    theirs.areAsRead,
  )
  const type = flips ? (subscribed ? "resubscribed" : "unsubscribed") : "updated"
  const { updated } = await commit(ctx, {
    counts: moveCounts(
      ctx,
      old.teamId,
      sql`select ${contacts.bookId}, 0 as contacts,
          ${Number(fresh.subscribed)} - ${contacts.subscribed} as subscribed
        from ${contacts} where ${isAsRead}`,
    ),
    events: storeEvents(
      ctx,
      [contactEvent(ctx, type, fresh)],
      exists(ctx.db.select().from(contacts).where(isAsRead)),
    ),
    updated: ctx.db
      .update(contacts)
      .set({ ...fields, ...(entries.length > 0 && { consents: withEntries(entries) }) })
      .where(isAsRead)
      .returning({ id: contacts.id }),
    entered: flips && subscribed ? [enterSubscribed(ctx, isNow(fresh))] : [],
  }).catch(refuseTaken(fresh.email))
  return updated.length > 0 ? fresh : undefined
}

/** A condition: the contact, as this batch has stored it. */
export const isNow = ({ teamId, bookId, id, updatedAt }: ContactRow) =>
  sql`${contacts.teamId} = ${teamId} and ${contacts.bookId} = ${bookId} and ${contacts.id} = ${id}
    and ${contacts.updatedAt} = ${updatedAt}`

type Changes = InputOf<typeof contract.updateContact>["json"]

const chosenIn = ({ topics = {} }: Changes) => Object.keys(topics)

/** Unchanged fields are not written: another call may have changed them since. */
const differences = (old: ContactRow, changes: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).filter(([field, value]) => {
      const before = old[field as keyof Changes]
      if (field === "subscribed" && old.confirmation === "pending") return true
      const after = field === "topics" ? mergeChoices(old.topics, changes.topics ?? {}) : value
      return canonicalJson(after) !== canonicalJson(before)
    }),
  )

/** The columns of consent that is given or withdrawn now. */
export const consent = (ctx: Ctx, subscribed: boolean) => ({
  subscribed,
  unsubscribeReason: null,
  unsubscribedAt: subscribed ? null : ctx.now(),
})

const waitsForPerson = () =>
  conflict("The contact is pending: only the person's own confirmation subscribes it.")

/** The batch has stored nothing if the address is in the book already. */
export const refuseTaken = (email: string) => (error: unknown) => {
  throw isTaken(error) ? conflict(`${email} is in this book already.`) : error
}

export const selectContact = (ctx: Ctx, bookId: string, id: string) =>
  ctx.db
    .select(contactColumns)
    .from(contacts)
    .where(isListed(ctx, bookId, id))

/** In a book that is not deleted. */
export const isListed = (ctx: Ctx, bookId: string, id: string) =>
  and(isContact(ctx, bookId, id), exists(selectBook(ctx, bookId)))

export const isContact = (ctx: Ctx, bookId: string, id: string) =>
  and(eq(contacts.teamId, ctx.team), eq(contacts.bookId, bookId), eq(contacts.id, id))
