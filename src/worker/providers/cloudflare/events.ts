import { sql } from "drizzle-orm"
import * as z from "zod"
import { domainAndParents, domainOf } from "../../../lib/address.ts"
import { firstIdAt } from "../../../lib/id.ts"
import { logError } from "../../../lib/log.ts"
import { DAY_MS } from "../../../lib/time.ts"
import { within } from "../../../lib/within.ts"
import { domains } from "../../domains/table.ts"
import {
  type EmailEventType,
  type EventData,
  SETTLED_BY_PROVIDER_EVENT,
} from "../../emails/contract.ts"
import type { EmailRef } from "../../emails/messages.ts"
import { recordEvents } from "../../emails/outcomes/record.ts"
import { type EmailReport, reportOf } from "../../emails/outcomes/report.ts"
import { emailRecipients, emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { databaseNumber, databaseNumbers, workIn } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { retryDelaySeconds } from "../../platform/queues/handle-apart.ts"
import { storedMessageId } from "./cloudflare.ts"

const lowerCase = z.string().toLowerCase()

/** A message of the queue that subscribes to the events of `email.sending`. */
const sendingEvent = z.object({
  type: z.string().startsWith("cf.email.sending.message."),
  payload: z.object({
    eventId: z.string(),
    messageId: z.string(),
    sender: lowerCase,
    recipient: lowerCase,
    subject: z.string().default(""),
    delivery: z.object({ smtpResponse: z.string().optional() }).nullish(),
    bounce: z
      .object({
        type: z.string(),
        classification: z.string().optional(),
        reason: z.string().optional(),
      })
      .nullish(),
    rejection: z.object({ reason: z.string().optional() }).nullish(),
    failure: z.object({ reason: z.string().optional() }).nullish(),
    complaint: z.object({ type: z.string().optional() }).nullish(),
  }),
  metadata: z.object({ eventTimestamp: z.string().transform((text) => Date.parse(text)) }),
})
type SendingEvent = z.output<typeof sendingEvent>

/** An event that comes before its email's answer is recorded is delivered once more. */
const RETRY_AFTER_SECONDS = 60
const LOST_ANSWER_WITHIN_MS = DAY_MS
const ANSWERS_WITHIN_MS = 3_000

type EventMessage = Pick<Message<unknown>, "body" | "timestamp" | "attempts" | "retry">

/** Events that were dead letters: their emails' answers are recorded by now, or never will be. */
export const recordReplayedEvents = (work: Work, events: readonly unknown[]): Promise<void> =>
  recordCloudflareEvents(
    work,
    events.map((body) => ({ body, timestamp: new Date(0), attempts: 1, retry: failReplay })),
  )

function failReplay(): never {
  throw new Error("A database that may have the email of an event does not answer")
}

/** Records what Cloudflare reports of its messages, and ignores messages that are not ours. */
export async function recordCloudflareEvents(
  work: Work,
  messages: readonly EventMessage[],
): Promise<void> {
  const events = messages.flatMap((message) => {
    const parsed = sendingEvent.safeParse(message.body)
    return parsed.success ? { message, event: parsed.data } : []
  })
  if (events.length === 0) return
  const ids = events.map(({ event }) => storedMessageId(event.payload.messageId))
  // An event does not name the team, so each database is asked.
  const answers = await Promise.all(
    databaseNumbers(work.env).map((number) => findKnown(workIn(work, number), ids)),
  )
  const found = answers.filter((answer) => answer !== null)
  const byDatabase = Map.groupBy(events, ({ event }) =>
    found.find(({ known }) => known.has(storedMessageId(event.payload.messageId))),
  )
  await Promise.all(
    [...byDatabase].map(([database, received]) => database && recordKnown(database, received)),
  )
  for (const { message, event } of byDatabase.get(undefined) ?? []) {
    if (found.length < answers.length) {
      message.retry({ delaySeconds: retryDelaySeconds(message.attempts) })
    } else if (isYoung(work, message)) message.retry({ delaySeconds: RETRY_AFTER_SECONDS })
    else await settleAnywhere(work, event)
  }
}

interface Received {
  message: EventMessage
  event: SendingEvent
}

interface Found {
  work: Work
  known: ReadonlyMap<string | null, EmailRef>
}

/** The emails of these messages in one database. Null if it does not answer. */
const findKnown = (work: Work, ids: readonly string[]): Promise<Found | null> =>
  within(ANSWERS_WITHIN_MS, findByMessageId(work, ids))
    .then((known) => ({ work, known }))
    .catch((error: unknown) => {
      logError(error, { database: databaseNumber(work.env) })
      return null
    })

const recordKnown = ({ work, known }: Found, received: readonly Received[]): Promise<void> =>
  recordEvents(
    work,
    received.flatMap(({ event }) => {
      const ref = known.get(storedMessageId(event.payload.messageId))
      return ref ? toReports(ref, event) : []
    }),
  )

async function settleAnywhere(work: Work, event: SendingEvent): Promise<void> {
  for (const number of databaseNumbers(work.env)) {
    if (await settle(workIn(work, number), event)) return
  }
}

const isYoung = (work: Work, { timestamp }: EventMessage) =>
  work.now() < timestamp.getTime() + RETRY_AFTER_SECONDS * 1000

async function findByMessageId(work: Work, ids: readonly string[]) {
  const id = emails.providerMessageId
  const rows = await work.db
    .select({ teamId: emails.teamId, emailId: emails.id, messageId: id })
    .from(emails)
    .where(
      sql`${isOneOf(id, ids)}
        and substr(${id}, 1, 3) = 'cf:'`,
    )
  return new Map(rows.map((row) => [row.messageId, row]))
}

/** If an email still waits for its answer, the answer was lost, and this event replaces it. */
async function settle(work: Work, event: SendingEvent): Promise<boolean> {
  const { sender, recipient, subject, messageId } = event.payload
  const since = firstIdAt("email", work.now() - LOST_ANSWER_WITHIN_MS)
  const [ref] = await work.db.all<EmailRef>(sql`
    select ${emails.teamId} as teamId, ${emails.id} as emailId
    from json_each(${JSON.stringify(domainAndParents(domainOf(sender)))}) candidate
    join ${domains} on ${domains.name} = candidate.value
      and ${domains.status} in ('pending', 'verified')
    join ${emailRecipients} on ${emailRecipients.teamId} = ${domains.teamId}
      and ${emailRecipients.address} = ${recipient} and ${emailRecipients.emailId} >= ${since}
    join ${emails} on ${emails.teamId} = ${emailRecipients.teamId}
      and ${emails.id} = ${emailRecipients.emailId}
    where ${emails.status} = 'sending' and ${emails.providerMessageId} is null
      and ${emails.subject} = ${subject} and ${emails.sender} ->> 'address' = ${sender}
    order by ${emails.id} limit 1`)
  if (!ref) return false
  const data = { reason: SETTLED_BY_PROVIDER_EVENT }
  const sent = reportOf(ref, "sent", event.metadata.eventTimestamp - 1, data)
  await recordEvents(work, [
    { ...sent, providerMessageId: storedMessageId(messageId) },
    ...toReports(ref, event),
  ])
  return true
}

/** Ids are derived from Cloudflare's, so that an event that comes twice counts once. */
function toReports(ref: EmailRef, { type, payload, metadata }: SendingEvent): EmailReport[] {
  const outcome = outcomeOf(type, payload)
  if (!outcome) return []
  const data = { ...outcome.data, recipients: [payload.recipient] }
  return [reportOf(ref, outcome.type, metadata.eventTimestamp, data, payload.eventId)]
}

function outcomeOf(
  type: string,
  { delivery, bounce, rejection, failure, complaint }: SendingEvent["payload"],
): { type: EmailEventType; data: EventData } | null {
  const because = (reason?: string) => (reason ? { reason } : {})
  switch (type.split(".").at(-1)) {
    case "delivered":
      return { type: "delivered", data: {} }
    case "deferred":
      return { type: "delayed", data: because(delivery?.smtpResponse) }
    case "bounced": {
      const bounceType = bounce?.type === "hard" ? "Permanent" : "Transient"
      const diagnosticCode = bounce?.reason ?? delivery?.smtpResponse
      return {
        type: "bounced",
        data: {
          bounceType,
          ...(bounce?.classification && { bounceSubType: bounce.classification }),
          ...(diagnosticCode && { diagnosticCode }),
        },
      }
    }
    case "failed":
      return { type: "failed", data: because(failure?.reason) }
    case "rejected":
      return { type: "failed", data: because(rejection?.reason) }
    case "complained":
      return { type: "complained", data: { complaintFeedbackType: complaint?.type ?? "abuse" } }
    default:
      return null
  }
}
