import { sql } from "drizzle-orm"
import * as z from "zod"
import { domainAndParents, domainOf, findAddress } from "../../../lib/address.ts"
import { mapLimit } from "../../../lib/chunk.ts"
import { firstIdAt } from "../../../lib/id.ts"
import { log, logError } from "../../../lib/log.ts"
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

/** What is odd, null or missing counts as unknown: the rest of the event still counts. */
const words = z.string().min(1).optional().catch(undefined)
const address = words.transform((text) => (text ? findAddress(text) : null))
const details = z
  .object({ type: words, classification: words, reason: words, smtpResponse: words })
  .partial()
  .catch({})

/** A message of the queue that subscribes to the events of `email.sending`. */
const sendingEvent = z.object({
  type: z.string().startsWith("cf.email.sending.message."),
  payload: z.object({
    eventId: words,
    messageId: z.string().min(1),
    sender: address,
    recipient: address,
    subject: z.string().catch(""),
    delivery: details,
    bounce: details,
    rejection: details,
    failure: details,
    complaint: details,
  }),
  metadata: z
    .object({ eventTimestamp: z.string().transform(Date.parse).pipe(z.number()) })
    .partial()
    .catch({}),
})
type SendingEvent = z.output<typeof sendingEvent>

/** An event that comes before its email's answer is recorded is delivered once more. */
const RETRY_AFTER_SECONDS = 60
const LOST_ANSWER_WITHIN_MS = DAY_MS
/** Of each database, from when it is asked. */
const ANSWERS_WITHIN_MS = 3_000
/** A Worker has six connections open at once, and a query that waits for one uses up its time. */
const DATABASES_AT_ONCE = 5

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
  const events = messages.flatMap(toReceived)
  if (events.length === 0) return
  const ids = events.map(({ event }) => storedMessageId(event.payload.messageId))
  // An event does not name the team, so each database is asked.
  const answers = await mapLimit(databaseNumbers(work.env), DATABASES_AT_ONCE, (number) =>
    findKnown(workIn(work, number), ids),
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
    else await settleAnywhere(work, { message, event })
  }
}

interface Received {
  message: EventMessage
  event: SendingEvent
}

/** Events of other products are none of ours. The log names what could not be read. */
function toReceived(message: EventMessage): Received[] {
  const parsed = sendingEvent.safeParse(message.body)
  if (parsed.success) return [{ message, event: parsed.data }]
  const places = parsed.error.issues.map(({ path }) => path.join("."))
  const isOfOthers = places[0] === "type" && isOtherType(message.body)
  if (!isOfOthers) unread(places.join(" "))
  return []
}

const isOtherType = (body: unknown) =>
  typeof body === "object" && body !== null && "type" in body && typeof body.type === "string"

function unread(member: string, email: string | null = null): [] {
  log("warn", { provider: "cloudflare", unread: member, email })
  return []
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
    received.flatMap((one) => {
      const ref = known.get(storedMessageId(one.event.payload.messageId))
      return ref ? toReports(ref, one) : []
    }),
  )

async function settleAnywhere(work: Work, received: Received): Promise<void> {
  for (const number of databaseNumbers(work.env)) {
    if (await settle(workIn(work, number), received)) return
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
async function settle(work: Work, received: Received): Promise<boolean> {
  const { sender, recipient, subject, messageId } = received.event.payload
  if (sender === null || recipient === null) return false
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
  const sent = reportOf(ref, "sent", timeOf(received) - 1, data)
  await recordEvents(work, [
    { ...sent, providerMessageId: storedMessageId(messageId) },
    ...toReports(ref, received),
  ])
  return true
}

const timeOf = ({ message, event }: Received) =>
  event.metadata.eventTimestamp ?? message.timestamp.getTime()

/** Ids are derived from Cloudflare's, so that an event that comes twice counts once. */
function toReports(ref: EmailRef, received: Received): EmailReport[] {
  const { type, payload } = received.event
  const outcome = outcomeOf(type, payload)
  if (!outcome) return unread("type", ref.emailId)
  const { recipient, eventId = recipient ?? "" } = payload
  if (recipient === null) unread("payload.recipient", ref.emailId)
  const data = { ...outcome.data, ...(recipient !== null && { recipients: [recipient] }) }
  return [reportOf(ref, outcome.type, timeOf(received), data, eventId)]
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
      return { type: "delayed", data: because(delivery.smtpResponse) }
    case "bounced": {
      const diagnosticCode = bounce.reason ?? delivery.smtpResponse
      return {
        type: "bounced",
        data: {
          bounceType: BOUNCE_TYPES.get(bounce.type?.toLowerCase()) ?? "Undetermined",
          ...(bounce.classification && { bounceSubType: bounce.classification }),
          ...(diagnosticCode && { diagnosticCode }),
        },
      }
    }
    case "failed":
      return { type: "failed", data: because(failure.reason) }
    case "rejected":
      return { type: "failed", data: because(rejection.reason) }
    case "complained":
      return { type: "complained", data: { complaintFeedbackType: complaint.type ?? "abuse" } }
    default:
      return null
  }
}

const BOUNCE_TYPES = new Map<string | undefined, EventData["bounceType"]>([
  ["hard", "Permanent"],
  ["soft", "Transient"],
])
