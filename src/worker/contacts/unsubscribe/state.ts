import { untilWon } from "../../../lib/until-won.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { selectSender } from "../../teams/teams.ts"
import { changeConsents } from "../consents/change-consents.ts"
import { selectRefusalOf } from "../consents/refusals.ts"
import { selectBookOfLink, selectLinkContacts } from "../links/link-addresses.ts"
import { areOverLimit, lastChange } from "../links/link-limits.ts"
import type { Subscriber } from "../links/recipient-link.ts"
import { UNSUBSCRIBE_REASONS } from "../shapes.ts"
import type { ContactRow } from "../table.ts"

/** What a link has to do, and can undo. */
export async function readSubscription(work: Work, subscriber: Subscriber) {
  const { ofBook, books, refusals, senders } = await namedBatch(work.db, {
    ofBook: selectLinkContacts(work, subscriber, subscriber.bookId),
    books: selectBookOfLink(work, subscriber),
    refusals: selectRefusalOf(work, subscriber),
    senders: selectSender(work, subscriber.teamId),
  })
  const isOfEvery = books.length === 0
  const found = isOfEvery ? await selectLinkContacts(work, subscriber) : ofBook
  const isDone =
    (isOfEvery || found.length > 0 || refusals.length > 0) &&
    found.every(({ contact }) => isDoneFor(contact))
  const own = found.find(({ contact }) => contact.email === subscriber.email)
  const canUndo = isDone && !isOfEvery && own !== undefined && !areOverLimit(found, work.now())
  return {
    sender: senders[0],
    isDone,
    /** The contact with the link's own address: nobody subscribes another one. */
    undone: canUndo ? own.contact : undefined,
    /** Which change is undone: a "no" that came later stands. */
    undo: canUndo ? lastChange([own], null).toString(36) : undefined,
  }
}

/** A pending contact can still refuse. */
const isDoneFor = ({ subscribed, confirmation }: Pick<ContactRow, "subscribed" | "confirmation">) =>
  !subscribed && confirmation !== "pending"

/** Subscribes the contact again, and answers whether it did. */
export const undoUnsubscription = (work: Work, subscriber: Subscriber, undo: string) =>
  untilWon(async () => {
    const state = await readSubscription(work, subscriber)
    if (!state.undone || state.undo !== undo) return 0
    const { nameKey: _, lastNameKey: __, consents: ___, ...old } = state.undone
    return changeConsents(
      work,
      {
        teamId: subscriber.teamId,
        actor: { by: UNSUBSCRIBE_REASONS.link, actorId: null },
        reason: null,
      },
      [{ old, consent: { subscribed: true, topics: old.topics } }],
    )
  })
