import { advanceCampaign } from "../campaigns/advance.ts"
import { dispatchEmails } from "../emails/dispatch.ts"
import { recordEvents } from "../emails/record.ts"
import type { Work } from "../env.ts"
import { chunk } from "../lib/chunk.ts"
import { recordCloudflareEvents } from "../providers/cloudflare/events.ts"
import { dispatchDeliveries } from "../webhooks/dispatch.ts"
import { keepDeadLetters } from "./dead-letters.ts"
import type { QueueMessage } from "./messages.ts"

const EMAILS_A_CLAIM = 100
const EVENTS_A_BATCH = 100

/** One invocation of the queue handler. What throws is delivered again, whole. */
export async function consume(work: Work, batch: MessageBatch<QueueMessage>): Promise<void> {
  if (batch.queue.endsWith("-dead-letters")) return keepDeadLetters(work, batch.messages)
  if (batch.queue.endsWith("-email-events")) return recordCloudflareEvents(work, batch.messages)
  const bodies = batch.messages.map(({ body }) => body)
  const emails = bodies.flatMap((body) => ("emails" in body ? body.emails : []))
  for (const part of chunk(emails, EMAILS_A_CLAIM)) await dispatchEmails(work, part)
  const events = bodies.flatMap((body) => ("events" in body ? body.events : []))
  for (const part of chunk(events, EVENTS_A_BATCH)) await recordEvents(work, part)
  const deliveries = bodies.flatMap((body) => ("deliveries" in body ? body.deliveries : []))
  if (deliveries.length > 0) await dispatchDeliveries(work, deliveries)
  const campaigns = bodies.flatMap((body) => ("campaigns" in body ? body.campaigns : []))
  for (const ref of campaigns) await advanceCampaign(work, ref)
}
