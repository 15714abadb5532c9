import { and, eq, gte } from "drizzle-orm"
import { firstIdAt } from "../../lib/id.ts"
import { campaign } from "../campaigns/contract.ts"
import { contact } from "../contacts/shapes.ts"
import { domain } from "../domains/contract.ts"
import type { EventData } from "../emails/contract.ts"
import type { EmailStatus } from "../emails/statuses.ts"
import type { Ctx } from "../platform/context.ts"
import { commit } from "../platform/db/commit.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { receivedWithTexts } from "../received/contract.ts"
import { sequence } from "../sequences/contract.ts"
import { run } from "../sequences/runs/contract.ts"
import { newEvent, storeEvents } from "./events/store.ts"
import { deliveries } from "./events/table.ts"
import type { EventType } from "./events/types.ts"
import type { EmailEventData } from "./payload.ts"
import { assertEnabled, selectWebhook, toDeliveryId, webhookOrNotFound } from "./webhooks.ts"

/** Sends the event of the specification to this webhook alone. */
export const testWebhook = (ctx: Ctx, webhookId: string) =>
  sendEvent(ctx, webhookId, "email.delivered", { test: true })

/** Sends an event that looks like a real one, with made-up records. */
export const sendSampleEvent = (ctx: Ctx, webhookId: string, type: EventType) =>
  sendEvent(ctx, webhookId, type, sampleData(type, ctx.now()))

async function sendEvent(
  ctx: Ctx,
  webhookId: string,
  type: EventType,
  data: Record<string, unknown>,
) {
  const { team } = await ctx.caller()
  const [[webhook]] = await ctx.batch([selectWebhook(ctx, webhookId)])
  assertEnabled(webhookOrNotFound(webhook).enabled)
  const event = newEvent(ctx, team.id, type, data)
  const { made } = await commit(ctx, {
    events: storeEvents(ctx, [{ ...event, webhookId }]),
    made: ctx.db
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.teamId, team.id),
          eq(deliveries.webhookId, webhookId),
          gte(deliveries.id, firstIdAt("delivery", event.createdAt)),
          eq(deliveries.eventId, event.id),
        ),
      ),
  })
  return toDeliveryId(made)
}

type EmailType = EmailEventData["event"]["type"]

const RECIPIENT = "ada@example.com"
const VISIT = { ip: "192.0.2.1", userAgent: "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15" }

/** What each event of an email tells beside its time. */
const DETAILS: Partial<Record<EmailType, EventData>> = {
  bounced: {
    recipients: [RECIPIENT],
    bounceType: "Permanent",
    bounceSubType: "General",
    diagnosticCode: "smtp; 550 5.1.1 user unknown",
  },
  clicked: { ...VISIT, url: "https://example.com/orders/42" },
  complained: { recipients: [RECIPIENT], complaintFeedbackType: "abuse" },
  delayed: { recipients: [RECIPIENT], reason: "MailboxFull" },
  delivered: { recipients: [RECIPIENT] },
  failed: { reason: "Amazon SES: MessageRejected: Email address is not verified." },
  opened: VISIT,
  replied: { receivedId: exampleId("received") },
}

/** Events that do not give the email their name as its status. */
const STATUS_AFTER: Partial<Record<EmailType, EmailStatus>> = {
  clicked: "delivered",
  delayed: "sent",
  opened: "delivered",
  replied: "delivered",
}

const emailData = (type: EmailType, now: number): EmailEventData => ({
  email: {
    id: exampleId("email"),
    sender: { address: "hello@example.com", name: "Example" },
    recipients: [{ address: RECIPIENT, as: "to" }],
    replyTo: [],
    subject: "Your order has shipped",
    status: STATUS_AFTER[type] ?? (type as EmailStatus),
    tags: { kind: "receipt" },
    domainId: exampleId("domain"),
    campaignId: null,
    sequenceStep: null,
    templateId: null,
    scheduledAt: null,
    sentAt: type === "failed" ? null : now,
    createdAt: now,
    lastError: DETAILS[type]?.reason ?? null,
    providerMessageId: null,
  },
  event: { type, occurredAt: now, data: DETAILS[type] ?? {} },
})

/** The examples of the reference, with what the event changed. */
const record = (shape: { meta(): unknown }, changes: object) => ({
  ...(shape.meta() as { example: object }).example,
  ...changes,
})

const CONTACTS: Record<string, object> = {
  pending: { subscribed: false, confirmation: "pending" },
  confirmed: { subscribed: true, confirmation: "confirmed", confirmedAt: EXAMPLE_TIME },
  unsubscribed: { subscribed: false, unsubscribedAt: EXAMPLE_TIME },
}

/** The data of an event, as it is stored. */
function sampleData(type: EventType, now: number): Record<string, unknown> {
  const [noun = "", verb = ""] = type.split(".")
  if (type === "email.received") return { received: record(receivedWithTexts, {}) }
  if (noun === "email") return { ...emailData(verb as EmailType, now) }
  if (noun === "domain") return { domain: record(domain, { status: verb }) }
  if (noun === "contact") {
    return { contact: record(contact, CONTACTS[verb] ?? { subscribed: true }) }
  }
  if (noun === "sequence") {
    const { steps: _, ...shown } = record(sequence, {}) as Record<string, unknown>
    return { sequence: shown, run: record(run, {}), stepKey: "pause" }
  }
  return { campaign: record(campaign, { status: "sent" }) }
}
