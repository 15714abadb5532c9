import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import { untilWon } from "../../../lib/until-won.ts"
import { forms } from "../../forms/table.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch, type Query } from "../../platform/db/client.ts"
import { jsonBytes } from "../../platform/http/shapes.ts"
import { teams } from "../../teams/table.ts"
import { topics } from "../../topics/table.ts"
import { changeConsents } from "../consents/change-consents.ts"
import { lastChange } from "../links/link-limits.ts"
import type { ConfirmationLink } from "../links/recipient-link.ts"
import { nameKeys } from "../search.ts"
import { MAX_PROPERTIES, MAX_PROPERTIES_BYTES, type Submitted } from "../shapes.ts"
import { type ContactRow, contactBooks, contacts } from "../table.ts"
import { type ConfirmationRow, confirmations, isConfirmation } from "./table.ts"

/** Of how many confirmations a form keeps the time that they took. */
const WAITS_KEPT = 101

/** What a link can do: ask, say that it is done, or nothing any more. */
export type ConfirmationState = Awaited<ReturnType<typeof readConfirmation>>

export async function readConfirmation(work: Work, link: ConfirmationLink) {
  const { teamId, bookId, contactId, email } = link
  const { asked, theirs, known, senders, ofForm } = await namedBatch(work.db, {
    asked: work.db.select().from(confirmations).where(isConfirmation(link)),
    theirs: work.db
      .select(getTableColumns(contacts))
      .from(contacts)
      .innerJoin(
        contactBooks,
        and(eq(contactBooks.teamId, contacts.teamId), eq(contactBooks.id, contacts.bookId)),
      )
      .where(
        and(
          eq(contacts.teamId, teamId),
          eq(contacts.bookId, bookId),
          eq(contacts.id, contactId),
          eq(contacts.email, email),
        ),
      ),
    known: work.db.select({ id: topics.id }).from(topics).where(eq(topics.teamId, teamId)),
    senders: work.db
      .select({ name: teams.name, postalAddress: teams.postalAddress, brand: teams.brand })
      .from(teams)
      .where(eq(teams.id, teamId)),
    ofForm: work.db
      .select({ confirmedUrl: forms.confirmedUrl })
      .from(confirmations)
      .innerJoin(
        forms,
        and(eq(forms.teamId, confirmations.teamId), eq(forms.id, confirmations.formId)),
      )
      .where(isConfirmation(link)),
  })
  const [confirmation] = asked
  const [contact] = theirs
  const found = confirmation && contact ? { confirmation, contact } : undefined
  return {
    state: found ? stateOf(work, found) : ("over" as const),
    found,
    topicIds: known.map((topic) => topic.id),
    sender: senders[0],
    confirmedUrl: ofForm[0]?.confirmedUrl ?? null,
  }
}

interface Found {
  contact: typeof contacts.$inferSelect
  confirmation: ConfirmationRow
}

/** A "no" that came after the question stands. */
function stateOf(work: Work, { contact, confirmation }: Found): "open" | "done" | "over" {
  if (confirmation.confirmedAt !== null) return contact.subscribed ? "done" : "over"
  if (confirmation.expiresAt === null || confirmation.expiresAt <= work.now()) return "over"
  if (contact.subscribed) return "open"
  const saidNoAt = contact.unsubscribedAt ?? 0
  return contact.confirmation === "pending" && saidNoAt <= confirmation.askedAt ? "open" : "over"
}

/** Subscribes the contact that was asked, and answers what the link has done. */
export const confirm = (work: Work, link: ConfirmationLink, network: string | null) =>
  untilWon(async (): Promise<ConfirmationState | undefined> => {
    const state = await readConfirmation(work, link)
    const { found } = state
    if (state.state !== "open" || !found) return state
    const { contact, confirmation } = found
    const { nameKey: _, lastNameKey: __, consents: ___, ...old } = contact
    const at = Math.max(work.now(), old.updatedAt + 1)
    const agreed = confirmation.topicIds.filter(
      (topicId) =>
        state.topicIds.includes(topicId) &&
        (contact.topics[topicId] !== false || lastChange([found], topicId) <= confirmation.askedAt),
    )
    const changed = await changeConsents(
      work,
      {
        teamId: link.teamId,
        actor: { by: "confirmation", actorId: confirmation.formId },
        reason: null,
        event: "confirmed",
        submitted: {
          ...fieldsOf(old, confirmation.submitted),
          confirmation: "confirmed",
          confirmedAt: at,
        },
        alongside: (condition) => [...keepAnswer(work, confirmation, { at, network }, condition)],
      },
      [
        {
          old,
          consent: {
            subscribed: true,
            topics: {
              ...old.topics,
              ...Object.fromEntries(agreed.map((topicId) => [topicId, true])),
            },
          },
        },
      ],
    )
    return changed === undefined ? undefined : { ...state, state: "done" }
  })

function keepAnswer(
  work: Work,
  { teamId, bookId, contactId, id, formId, askedAt }: ConfirmationRow,
  { at, network }: { at: number; network: string | null },
  condition: SQL,
): Query[] {
  const waits = sql`json_insert(${forms.waits}, '$[#]', ${at - askedAt})`
  return [
    work.db
      .update(forms)
      .set({
        confirmed: sql`${forms.confirmed} + 1`,
        waits: sql`(select json_group_array(w.value) from json_each(${waits}) w
          where w.key >= json_array_length(${forms.waits}) + 1 - ${WAITS_KEPT})`,
      })
      .where(and(eq(forms.teamId, teamId), eq(forms.id, formId ?? ""), condition)),
    work.db
      .update(confirmations)
      .set({
        confirmedAt: at,
        confirmedNetwork: network,
        expiresAt: null,
        mailDueAt: null,
        submitted: {},
      })
      .where(and(isConfirmation({ teamId, bookId, contactId, id }), condition)),
  ]
}

/** What the person has written, where the contact can hold it. */
function fieldsOf(
  old: ContactRow,
  { firstName, lastName, properties }: Submitted,
): Partial<ContactRow> {
  const named = {
    firstName: firstName ?? old.firstName,
    lastName: lastName ?? old.lastName,
  }
  const merged = { ...old.properties, ...properties }
  const fits =
    Object.keys(merged).length <= MAX_PROPERTIES && jsonBytes(merged) <= MAX_PROPERTIES_BYTES
  return { ...named, ...nameKeys(named), properties: fits ? merged : old.properties }
}
