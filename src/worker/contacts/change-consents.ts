import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { commit } from "../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { enterSubscribed } from "../sequences/enter.ts"
import { storeEvents } from "../webhooks/events/store.ts"
import { type Consent, type ConsentActor, consentEntries, withEntries } from "./consents.ts"
import { moveCounts } from "./counts.ts"
import { contactEvent } from "./events.ts"
import { type ContactRow, c, contacts, nextUpdate } from "./table.ts"

export interface ConsentChange {
  old: ContactRow
  consent: Consent
}

interface Change {
  teamId: string
  actor: ConsentActor
  /** Why contacts unsubscribe. */
  reason: string | null
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
}

/**
 * Changes the consent of several contacts of a team: all or none. Answers how many, and nothing if
 * another call has changed one since it was read.
 */
export async function changeConsents(
  work: Work,
  { teamId, actor, reason, condition = sql`true`, alongside = () => [] }: Change,
  changes: readonly ConsentChange[],
): Promise<number | undefined> {
  const at = nextUpdate(
    work,
    changes.map(({ old }) => old),
  )
  const fresh = changes.map(({ old, consent }) => toFresh(old, consent, at, reason))
  const rows = changes.map(({ old }, index): Changed => {
    // Only what changes: the properties of many contacts are more than a parameter can hold.
    const { teamId, bookId, id, subscribed, unsubscribeReason, unsubscribedAt, topics } = fresh[
      index
    ] as ContactRow
    return {
      ...{ teamId, bookId, id, unsubscribeReason, unsubscribedAt },
      readAt: old.updatedAt,
      subscribed: Number(subscribed),
      topics: JSON.stringify(topics),
      entries: JSON.stringify(consentEntries(at, actor, old, { subscribed, topics })),
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
  const events = changes.map(({ old }, index) => eventOf(work, old, fresh[index] as ContactRow))
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
        subscribed: sql`${x.subscribed}`,
        unsubscribeReason: sql`${x.unsubscribeReason}`,
        unsubscribedAt: sql`${x.unsubscribedAt}`,
        topics: sql`${x.topics}`,
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

/** A condition on `c`: one of these contacts, as this batch has stored it. */
const isJoining = (joining: readonly ContactRow[], at: number) =>
  sql`(${c.teamId}, ${c.bookId}, ${c.id}) in (select ${y.teamId}, ${y.bookId}, ${y.id}
    from ${jsonRows(
      joining.map(({ teamId, bookId, id }) => ({ teamId, bookId, id })),
      "y",
    )}) and ${c.updatedAt} = ${at}`

const y = jsonFields<Pick<ContactRow, "teamId" | "bookId" | "id">>("y")

function toFresh(old: ContactRow, consent: Consent, at: number, reason: string | null) {
  const withdrawn = { unsubscribeReason: reason, unsubscribedAt: at }
  const given = { unsubscribeReason: null, unsubscribedAt: null }
  const flips = old.subscribed !== consent.subscribed
  return {
    ...old,
    ...consent,
    ...(flips && (consent.subscribed ? given : withdrawn)),
    updatedAt: at,
  }
}

function eventOf(work: Work, old: ContactRow, fresh: ContactRow) {
  const flipped = fresh.subscribed ? "resubscribed" : "unsubscribed"
  return contactEvent(work, old.subscribed === fresh.subscribed ? "updated" : flipped, fresh)
}
