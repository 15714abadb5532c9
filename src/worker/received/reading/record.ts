import { sql } from "drizzle-orm"
import { gzip } from "../../../lib/gzip.ts"
import { recordingOf } from "../../emails/outcomes/record.ts"
import { type EmailReport, reportOf } from "../../emails/outcomes/report.ts"
import type { Work } from "../../platform/context.ts"
import { commit, type Statement } from "../../platform/db/commit.ts"
import { store } from "../../platform/db/overflow.ts"
import { endOnReply } from "../../sequences/runs/end-on-reply.ts"
import { keepChanges, newPublication } from "../../stream/outbox.ts"
import { newEvent, storeEvents } from "../../webhooks/events/store.ts"
import type { NamedAddress, ReceivedKind, Sender } from "../contract.ts"
import { eventData, eventIdOf } from "../event-data.ts"
import { type ReceivedRow, receivedEmails } from "../table.ts"
import { isLeaseHolder } from "../taking/claim.ts"
import { type Answered, findAnswered, storeInThread } from "./join-thread.ts"
import type { ParsedMessage, Texts } from "./parse.ts"

export interface ReadMessage extends Omit<ParsedMessage, "kind"> {
  kind: ReceivedKind
  from: NamedAddress
  sender: Sender
}

/** The decoded texts stand beside the message, if they are too large for its row. */
export const textsKeyOf = (objectKey: string) => `${objectKey}.texts`

const NOT_SHOWN = ["bounce", "complaint", "unsubscribe"]

/** Stores what a message says, with all that follows from it, in one batch. */
export async function recordReceived(
  work: Work,
  row: ReceivedRow,
  message: ReadMessage,
  reports: readonly EmailReport[],
): Promise<void> {
  const { kind, subject, messageId, details, isWhole, from, sender } = message
  const isShown = !NOT_SHOWN.includes(kind)
  const answered = await findAnswered(work, row, { from, details })
  const threadId = isShown ? answered.threadId : null
  const texts: Texts = pick(message)
  const { body } = await store(work.env, gzip(JSON.stringify(texts)), () =>
    textsKeyOf(row.objectKey as string),
  )
  const changes = {
    kind,
    sender: from,
    subject,
    messageId,
    details: { ...details, sender },
    threadId,
    answersEmailId: answered.emailId,
    parsed: isWhole,
  }
  const read: ReceivedRow = { ...row, ...changes }
  const isHeld = sql`exists (select 1 from ${receivedEmails} where ${isLeaseHolder(row)})`
  await commit(work, {
    event: storeEvents(
      work,
      [
        {
          ...newEvent(work, row.teamId, "email.received", eventData(read, texts)),
          id: eventIdOf(row),
        },
      ],
      isHeld,
    ),
    outcomes: outcomesOf(work, kind === "message" ? repliedBy(read, answered) : reports),
    ends:
      kind === "message"
        ? endOnReply(work, { teamId: row.teamId, emailId: answered.emailId }, isHeld)
        : [],
    thread: threadId === null ? [] : storeInThread(work, read, answered, isHeld),
    changes: keepChanges(
      work,
      sql`select ${row.teamId} as team_id, 'received' as type, ${row.id} as id where ${isHeld}`,
      newPublication(work),
    ),
    row: work.db
      .update(receivedEmails)
      .set({ ...changes, body })
      .where(isLeaseHolder(row)),
  })
}

const pick = ({ text, html, replyText, headers }: Texts): Texts => ({
  text,
  html,
  replyText,
  headers,
})

/** A reply stands on the timeline of the email that it answers, once. */
const repliedBy = ({ teamId, id, createdAt }: ReceivedRow, { emailId }: Answered) =>
  emailId === null
    ? []
    : [reportOf({ teamId, emailId }, "replied", createdAt, { receivedId: id }, id)]

const outcomesOf = (work: Work, reports: readonly EmailReport[]): Statement[] =>
  reports.length === 0 ? [] : Object.values(recordingOf(work, reports)).flat()
