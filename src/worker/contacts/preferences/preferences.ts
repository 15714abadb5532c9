import { desc, eq } from "drizzle-orm"
import { untilWon } from "../../../lib/until-won.ts"
import { countUnsubscribed } from "../../campaigns/counts.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { selectSender } from "../../teams/teams.ts"
import { areKnown } from "../../topics/known.ts"
import { topics } from "../../topics/table.ts"
import { type ConsentChange, changeConsents } from "../consents/change-consents.ts"
import { type LinkContact, selectLinkContacts } from "../links/link-addresses.ts"
import { areOverLimit, lastChange } from "../links/link-limits.ts"
import type { Subscriber } from "../links/recipient-link.ts"
import { UNSUBSCRIBE_REASONS } from "../shapes.ts"
import { type Form, mayBecome } from "./form.ts"

/** A box of the page: a book or a topic. */
export interface Choice {
  kind: "book" | "topic"
  id: string
  name: string
  description: string | null
  isOn: boolean
  /** The link may only end it: no contact has the link's address, or links have changed too much today. */
  isFinal: boolean
  /** When this consent changed last; 0 if it never did. */
  changedAt: number
}

export type Preferences = Awaited<ReturnType<typeof readPreferences>>

export async function readPreferences(work: Work, subscriber: Subscriber) {
  const { teamId, email } = subscriber
  const { found, offered, senders } = await namedBatch(work.db, {
    found: selectLinkContacts(work, subscriber),
    offered: work.db
      .select()
      .from(topics)
      .where(eq(topics.teamId, teamId))
      .orderBy(desc(topics.id)),
    senders: selectSender(work, teamId),
  })
  const isOverLimit = areOverLimit(found, work.now())
  const isFinal = (some: readonly LinkContact[]) =>
    isOverLimit || !some.some(({ contact }) => contact.email === email)
  const ofBooks = [...Map.groupBy(found, ({ contact }) => contact.bookId)].map(
    ([id, inBook]): Choice => ({
      kind: "book",
      id,
      name: inBook[0]?.book ?? "",
      description: null,
      isOn: inBook.some(({ contact }) => contact.subscribed),
      isFinal: isFinal(inBook),
      changedAt: lastChange(inBook, null),
    }),
  )
  const ofTopics = offered.map(
    ({ id, name, description, default: byDefault }): Choice => ({
      kind: "topic",
      id,
      name,
      description,
      isOn: found.some(({ contact }) => contact.topics[id] ?? byDefault === "subscribed"),
      isFinal: isFinal(found),
      changedAt: lastChange(found, id),
    }),
  )
  return {
    email,
    sender: senders[0],
    contacts: found.map(
      ({ contact: { nameKey: _, lastNameKey: __, consents: ___, ...row } }) => row,
    ),
    books: ofBooks,
    topics: found.length === 0 ? [] : ofTopics,
  }
}

/** Stores what the person has changed on the page. Answers whether all of it was stored. */
export const savePreferences = (work: Work, subscriber: Subscriber, form: Form): Promise<boolean> =>
  untilWon(async () => {
    const preferences = await readPreferences(work, subscriber)
    const changes = changesOf(preferences, form)
    const isWhole = [...preferences.books, ...preferences.topics].every(
      (choice) => mayBecome(choice, form) !== "stale",
    )
    if (changes.length === 0) return isWhole
    const stored = await store(work, subscriber, changes)
    return stored === undefined ? undefined : isWhole
  })

function changesOf({ email, contacts, books, topics }: Preferences, form: Form): ConsentChange[] {
  const changed = new Map<string, boolean>()
  for (const choice of [...books, ...topics]) {
    const wanted = mayBecome(choice, form)
    if (typeof wanted === "boolean") changed.set(choice.id, wanted)
  }
  return contacts.flatMap((old) => {
    // A link that was sent to another address says only "no".
    const wantedOf = (id: string) => {
      const wanted = changed.get(id)
      return wanted && old.email !== email ? undefined : wanted
    }
    const chosen = topics.flatMap(({ id }) => {
      const wanted = wantedOf(id)
      return wanted === undefined ? [] : [[id, wanted] as const]
    })
    const wanted = wantedOf(old.bookId)
    const subscribed = wanted ?? old.subscribed
    const refuses = wanted === false
    const isSame =
      subscribed === old.subscribed &&
      !(refuses && old.confirmation === "pending") &&
      chosen.every(([id, wanted]) => old.topics[id] === wanted)
    const consent = { subscribed, topics: { ...old.topics, ...Object.fromEntries(chosen) } }
    return isSame ? [] : [{ old, consent, refuses }]
  })
}

function store(work: Work, subscriber: Subscriber, changes: readonly ConsentChange[]) {
  const { teamId, bookId, emailId = "" } = subscriber
  const leaves = changes.some(
    ({ old, consent }) => old.bookId === bookId && old.subscribed && !consent.subscribed,
  )
  const chosen = changes.flatMap(({ old, consent }) =>
    Object.keys(consent.topics).filter((id) => consent.topics[id] !== old.topics[id]),
  )
  const by = UNSUBSCRIBE_REASONS.preferences
  return changeConsents(
    work,
    {
      teamId,
      actor: { by, actorId: null },
      reason: by,
      condition: areKnown(teamId, [...new Set(chosen)]),
      alongside: (condition) =>
        leaves ? countUnsubscribed(work, { teamId, emailId }, condition) : [],
    },
    changes,
  )
}
