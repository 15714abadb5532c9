import { and, desc, eq, type SQL, sql } from "drizzle-orm"
import { derivedId, isId, timeOf } from "../../../lib/id.ts"
import { emailRecipients, emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { NamedAddress } from "../contract.ts"
import { type Details, type ReceivedRow, receivedEmails, threadEmails, threads } from "../table.ts"
import { MAX_THREAD_MESSAGES } from "../threads/threads-contract.ts"

/** How many of the newest emails to a sender may be those that the sender answers. */
const EMAILS_LOOKED_AT = 200

export interface Answered {
  /** The sent email that a message answers. */
  emailId: string | null
  threadId: string
  /** The thread begins with this email. */
  begunBy: string | null
}

interface Read {
  from: NamedAddress
  details: Pick<Details, "inReplyTo" | "references">
}

/** What a message answers, by the ids in its header alone: the nearest one first. */
export async function findAnswered(
  work: Work,
  { teamId, id, inboxId }: ReceivedRow,
  { from, details }: Read,
): Promise<Answered> {
  const { inReplyTo, references } = details
  const ids = [...new Set([...(inReplyTo ? [inReplyTo] : []), ...references.toReversed()])]
  const [mails, sent] =
    ids.length === 0
      ? [[], []]
      : await work.db.batch([
          selectReceived(work, { teamId, inboxId, ids }),
          selectSent(work, { teamId, inboxId, from: from.email, ids }),
        ])
  const threadOf = (one: string) => {
    const email = sent.find((email) => formsOf(one).includes(email.messageId))
    const received = mails.find(({ messageId }) => messageId === one)
    return { email, threadId: email?.threadId ?? received?.threadId ?? null }
  }
  const found = ids.map(threadOf)
  const email = found.find(({ email }) => email)?.email
  const known = found.find(({ threadId }) => threadId)?.threadId
  if (known) return { emailId: email?.id ?? null, threadId: known, begunBy: null }
  if (!email) return { emailId: null, threadId: newThreadId(id), begunBy: null }
  return { emailId: email.id, threadId: threadBegunBy(email.id, inboxId), begunBy: email.id }
}

/** The same for each attempt to record a message. */
const newThreadId = (receivedId: string) => derivedId("thread", timeOf(receivedId), receivedId)

/** All replies to an email that come to an inbox are one thread. */
const threadBegunBy = (emailId: string, inboxId: string) =>
  derivedId("thread", timeOf(emailId), `${emailId} ${inboxId}`)

/** The ways in which providers keep the id of a message. */
function formsOf(id: string): string[] {
  const bare = id.slice(1, -1)
  const [local = ""] = bare.split("@")
  return [id, local, `cf:${bare}`]
}

const selectReceived = (
  { db }: Work,
  { teamId, inboxId, ids }: { teamId: string; inboxId: string; ids: string[] },
) =>
  db
    .select({ messageId: receivedEmails.messageId, threadId: receivedEmails.threadId })
    .from(receivedEmails)
    .where(
      and(
        eq(receivedEmails.teamId, teamId),
        sql`unlikely(${isOneOf(receivedEmails.messageId, ids)})`,
        eq(receivedEmails.inboxId, inboxId),
      ),
    )

interface SentQuery {
  teamId: string
  inboxId: string
  from: string
  ids: string[]
}

/**
 * Our own ids name their email. Other ones are looked for among the newest emails to the sender. `threadId` is null
 * for an email in a thread of another inbox.
 */
function selectSent({ db }: Work, { teamId, inboxId, from, ids }: SentQuery) {
  const own = ids.flatMap((id) => formsOf(id)[1] ?? []).filter((id) => isId("email", id))
  const toSender = db
    .select({ id: emailRecipients.emailId })
    .from(emailRecipients)
    .where(and(eq(emailRecipients.teamId, teamId), eq(emailRecipients.address, from)))
    .orderBy(desc(emailRecipients.emailId))
    .limit(EMAILS_LOOKED_AT)
  const messageId = sql<string>`iif(${isOneOf(emails.id, own)}, ${emails.id}, ${emails.providerMessageId})`
  return db
    .select({
      id: emails.id,
      messageId: messageId.as("message_id"),
      threadId: sql<string | null>`${threads.id}`.as("thread_id"),
    })
    .from(emails)
    .leftJoin(
      threadEmails,
      and(eq(threadEmails.teamId, emails.teamId), eq(threadEmails.emailId, emails.id)),
    )
    .leftJoin(
      threads,
      and(
        eq(threads.teamId, threadEmails.teamId),
        eq(threads.id, threadEmails.threadId),
        eq(threads.inboxId, inboxId),
      ),
    )
    .where(
      and(
        eq(emails.teamId, teamId),
        sql`${emails.id} in (select value from json_each(${JSON.stringify(own)}) union select *
          from (${toSender}))`,
        sql`(${isOneOf(emails.id, own)} or ${isOneOf(emails.providerMessageId, ids.flatMap(formsOf))})`,
      ),
    )
}

/** Adds a message to its thread, or begins the thread. */
export function storeInThread(
  work: Work,
  row: ReceivedRow,
  { threadId, begunBy }: Answered,
  condition: SQL,
) {
  const people = JSON.stringify([row.sender, ...(row.details.to ?? []), ...(row.details.cc ?? [])])
  return addToThread(work, {
    teamId: row.teamId,
    id: threadId,
    inboxId: row.inboxId,
    subject: row.subject,
    people,
    messages: begunBy === null ? [row.id] : [begunBy, row.id],
    at: row.createdAt,
    condition,
    reopens: row.kind === "message",
  })
}

interface Added {
  teamId: string
  id: string
  inboxId: string
  subject: string
  /** JSON of `NamedAddress[]`. */
  people: string
  messages: string[]
  at: number
  condition: SQL
  /** A thread that was done is open again. */
  reopens: boolean
}

const MAX_PARTICIPANTS = 50

/** JSON: each address once, with the name that it had first. */
const distinctPeople = (people: SQL) => sql`(
  select json_group_array(json(value)) from (
    select value, min(position) as first from (
      select value, row_number() over () as position from ${people} where value ->> 'email' <> '')
    group by value ->> 'email' order by first limit +${MAX_PARTICIPANTS}))`

/** A statement that adds a message to a thread, or begins the thread, if the condition holds. */
export const addToThread = ({ db, now }: Work, added: Added) => {
  const { teamId, id, inboxId, subject, people, messages, at, condition, reopens } = added
  const last = messages.at(-1) as string
  const appended = sql`json_insert(${threads.messages}, '$[#]', ${last})`
  return db.run(sql`
    ${insertInto(
      threads,
      {
        teamId,
        id,
        inboxId,
        subject,
        participants: distinctPeople(sql`json_each(${people})`),
        messages: JSON.stringify(messages),
        messageCount: messages.length,
        state: "open",
        position: positionOf(last),
        lastMessageAt: at,
        createdAt: now(),
      },
      sql`where ${condition}`,
    )}
    on conflict (team_id, id) do update set
      participants = ${distinctPeople(sql`(
        select value from json_each(${threads.participants})
        union all select value from json_each(${people}))`)},
      messages = iif(json_array_length(${threads.messages}) < ${MAX_THREAD_MESSAGES},
        ${appended}, json_remove(${appended}, '$[0]')),
      message_count = message_count + 1,
      state = ${reopens ? sql`iif(state = 'done', 'open', state)` : sql`state`},
      position = max(position, excluded.position),
      last_message_at = max(last_message_at, excluded.last_message_at)`)
}

/** An id without its prefix. */
export const positionOf = (id: string) => id.slice(id.indexOf("_") + 1)
