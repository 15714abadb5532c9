import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import type { Query } from "../../platform/db/client.ts"
import { commit } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { enterSubscribed } from "../../sequences/runs/enter.ts"
import { storeEvents } from "../../webhooks/events/store.ts"
import { moveCounts } from "../counts.ts"
import { type ContactEventType, contactEvent } from "../events.ts"
import { type ContactRow, contacts, nextUpdate } from "../table.ts"
import { type Consent, type ConsentActor, consentEntries, withEntries } from "./consents.ts"

export interface ConsentChange {
  old: ContactRow
  consent: Consent
  /** The person refuses: a pending contact waits no longer. */
  refuses?: boolean
}

interface Change {
  teamId: string
  actor: ConsentActor
  /** Why contacts unsubscribe. */
  reason: string | null
  /** What a person has written who confirms. For a change of one contact. */
  submitted?: Partial<ContactRow>
  /** The event where the change has one of its own. */
  event?: ContactEventType
  /** One more condition of the change. */
  condition?: SQL
  /** More statements for the batch, which write if the condition holds. */
  alongside?: ((condition: SQL) => readonly Query[]) | undefined
}

interface Changed {
  teamId: string
  bookId: string
  id: string
  readAt: number
  subscribed: number
  unsubscribeReason: string | null
  unsubscribedAt: number | null
  topics: string
  entries: string
  confirmation: ContactRow["confirmation"]
  confirmedAt: number | null
}

/**
 * Changes the consent of several contacts of a team: all or none. Answers how many, and nothing if
 * another call has changed one since it was read.
 */
export async function changeConsents(
  work: Work,
  { teamId, actor, reason, submitted, event, condition = sql`true`, alongside = () => [] }: Change,
  changes: readonly ConsentChange[],
): Promise<number | undefined> {
  const at = nextUpdate(
    work,
    changes.map(({ old }) => old),
  )
  const fresh = changes.map((change) => ({ ...toFresh(change, at, reason), ...submitted }))
  const rows = changes.map(({ old, refuses }, index): Changed => {
    // Only what changes: the properties of many contacts are more than a parameter can hold.
    const { teamId, bookId, id, subscribed, unsubscribeReason, unsubscribedAt, topics, ...more } =
      fresh[index] as ContactRow
    const { confirmation, confirmedAt } = more
    const before = isRefused(old, refuses) ? { ...old, subscribed: true } : old
    return {
      teamId,
      bookId,
      id,
      unsubscribeReason,
      unsubscribedAt,
      confirmation,
      confirmedAt,
      readAt: old.updatedAt,
      subscribed: Number(subscribed),
      topics: JSON.stringify(topics),
      entries: JSON.stringify(consentEntries(at, actor, before, { subscribed, topics })),
    }
  })
  const joining = changes.flatMap(({ old, consent }) =>
    consent.subscribed && !old.subscribed ? [old] : [],
  )
  const x = jsonFields<Changed>()
  const changed = jsonRows(rows)
  const isAsRead = sql`${contacts.teamId} = ${teamId}
    and (${contacts.bookId}, ${contacts.id}, ${contacts.updatedAt}) in
      (select ${x.bookId}, ${x.id}, ${x.readAt} from ${changed})`
  const areAll = sql`((select count(*) from ${contacts} where ${isAsRead}) = ${rows.length}
    and ${condition})`
  const events = changes.map((change, index) =>
    contactEvent(work, event ?? eventOf(change), fresh[index] as ContactRow),
  )
  const { won } = await commit(work, {
    won: work.db.all(sql`select 1 where ${areAll}`),
    alongside: alongside(areAll),
    counts: moveCounts(
      work,
      teamId,
      sql`select ${contacts.bookId}, 0 as contacts, sum(${x.subscribed} - ${contacts.subscribed}) as subscribed
        from ${changed} cross join ${contacts} on ${contacts.teamId} = ${teamId}
          and ${contacts.bookId} = ${x.bookId} and ${contacts.id} = ${x.id}
        where ${areAll}
        group by ${contacts.bookId}`,
    ),
    events: storeEvents(work, events, areAll),
    contacts: work.db
      .update(contacts)
      .set({
        ...submitted,
        subscribed: sql`${x.subscribed}`,
        unsubscribeReason: sql`${x.unsubscribeReason}`,
        unsubscribedAt: sql`${x.unsubscribedAt}`,
        topics: sql`${x.topics}`,
        confirmation: sql`${x.confirmation}`,
        confirmedAt: sql`${x.confirmedAt}`,
        consents: withEntries(x.entries),
        updatedAt: at,
      })
      .from(changed as never)
      .where(
        sql`${contacts.teamId} = ${x.teamId} and ${contacts.bookId} = ${x.bookId}
          and ${contacts.id} = ${x.id} and ${areAll}`,
      ),
    entered: joining.length > 0 ? [enterSubscribed(work, isJoining(joining, at))] : [],
  })
  return won.length === 0 ? undefined : rows.length
}

/** A condition: one of these contacts, as this batch has stored it. */
const isJoining = (joining: readonly ContactRow[], at: number) =>
  sql`(${contacts.teamId}, ${contacts.bookId}, ${contacts.id}) in (select ${y.teamId}, ${y.bookId}, ${y.id}
    from ${jsonRows(
      joining.map(({ teamId, bookId, id }) => ({ teamId, bookId, id })),
      "y",
    )}) and ${contacts.updatedAt} = ${at}`

const y = jsonFields<Pick<ContactRow, "teamId" | "bookId" | "id">>("y")

const isRefused = ({ confirmation }: ContactRow, refuses = false) =>
  refuses && confirmation === "pending"

/** Only the person makes a yes of a no here, by a link of a mail: so it confirms the address, too. */
function toFresh({ old, consent, refuses }: ConsentChange, at: number, reason: string | null) {
  const withdrawn = { unsubscribeReason: reason, unsubscribedAt: at }
  const given = {
    unsubscribeReason: null,
    unsubscribedAt: null,
    ...(old.confirmation === "pending" && { confirmation: "confirmed", confirmedAt: at }),
  }
  const flips = old.subscribed !== consent.subscribed
  return {
    ...old,
    ...consent,
    ...(flips && (consent.subscribed ? given : withdrawn)),
    ...(isRefused(old, refuses) && { ...withdrawn, confirmation: null }),
    updatedAt: at,
  }
}

function eventOf({ old, consent, refuses }: ConsentChange): ContactEventType {
  if (isRefused(old, refuses)) return "unsubscribed"
  if (old.subscribed === consent.subscribed) return "updated"
  return consent.subscribed ? "resubscribed" : "unsubscribed"
}
