import { sql } from "drizzle-orm"
import * as z from "zod"
import {
  type EmailEventType,
  type EventData,
  SETTLED_BY_PROVIDER_EVENT,
} from "../emails/contract.ts"
import type { Work } from "../env.ts"
import { domainAndParents, domainOf } from "../lib/address.ts"
import { firstIdAt } from "../lib/id.ts"
import { recordEvents } from "../outcomes/record.ts"
import { storedMessageId } from "../providers/cloudflare/cloudflare.ts"
import type { EmailRef } from "../queues/messages.ts"
import { type EmailReport, reportOf } from "../queues/report.ts"

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

/** An event may come before its answer is recorded: then it is looked at once more. */
const LOOK_AGAIN_AFTER_SECONDS = 60
const LOST_ANSWER_WITHIN_MS = 24 * 3_600_000

type Report = Pick<Message<unknown>, "body" | "timestamp" | "retry">

/** Reports that were dead letters: their answers have long been recorded, or never will be. */
export const recordReports = (work: Work, reports: readonly unknown[]): Promise<void> =>
  recordCloudflareEvents(
    work,
    reports.map((body) => ({ body, timestamp: new Date(0), retry: () => {} })),
  )

/** Records what Cloudflare tells of its messages. One that no email of ours has is passed over. */
export async function recordCloudflareEvents(
  work: Work,
  messages: readonly Report[],
): Promise<void> {
  const events = messages.flatMap((message) => {
    const parsed = sendingEvent.safeParse(message.body)
    return parsed.success ? { message, event: parsed.data } : []
  })
  const known = await findByMessageId(
    work,
    events.map(({ event }) => event.payload.messageId),
  )
  const recorded: EmailReport[] = []
  for (const { message, event } of events) {
    const ref = known.get(storedMessageId(event.payload.messageId))
    if (ref) recorded.push(...toEmailEvents(ref, event))
    else if (isYoung(work, message)) message.retry({ delaySeconds: LOOK_AGAIN_AFTER_SECONDS })
    else await settle(work, event)
  }
  await recordEvents(work, recorded)
}

const isYoung = (work: Work, { timestamp }: Report) =>
  work.now() < timestamp.getTime() + LOOK_AGAIN_AFTER_SECONDS * 1000

async function findByMessageId(work: Work, ids: readonly string[]): Promise<Map<string, EmailRef>> {
  const rows = await work.db.all<EmailRef & { messageId: string }>(sql`
    select team_id as teamId, id as emailId, provider_message_id as messageId from emails
    where provider_message_id in (
      select value from json_each(${JSON.stringify(ids.map(storedMessageId))})
    ) and substr(provider_message_id, 1, 3) = 'cf:'`)
  return new Map(rows.map((row) => [row.messageId, row]))
}

/** The answer with the message's id was lost, if an email still waits for one: then this is it. */
async function settle(work: Work, event: SendingEvent): Promise<void> {
  const { sender, recipient, subject, messageId } = event.payload
  const since = firstIdAt("email", work.now() - LOST_ANSWER_WITHIN_MS)
  const [ref] = await work.db.all<EmailRef>(sql`
    select e.team_id as teamId, e.id as emailId
    from json_each(${JSON.stringify(domainAndParents(domainOf(sender)))}) candidate
    join domains d on d.name = candidate.value and d.status in ('pending', 'verified')
    join email_recipients r
      on r.team_id = d.team_id and r.address = ${recipient} and r.email_id >= ${since}
    join emails e on e.team_id = r.team_id and e.id = r.email_id
    where e.status = 'sending' and e.provider_message_id is null
      and e.subject = ${subject} and e.sender ->> 'address' = ${sender}
    order by e.id limit 1`)
  if (!ref) return
  const data = { reason: SETTLED_BY_PROVIDER_EVENT }
  const sent = reportOf(ref, "sent", event.metadata.eventTimestamp - 1, data)
  await recordEvents(work, [
    { ...sent, providerMessageId: storedMessageId(messageId) },
    ...toEmailEvents(ref, event),
  ])
}

/** Ids follow from Cloudflare's own, so that an event that comes twice counts once. */
function toEmailEvents(ref: EmailRef, { type, payload, metadata }: SendingEvent): EmailReport[] {
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
