import { advanceCampaign } from "../campaigns/advance.ts"
import { dispatchPage } from "../campaigns/pages.ts"
import { dispatchEmails } from "../emails/dispatch.ts"
import { type EmailRef, enqueueSends } from "../emails/queue.ts"
import { recordEvents } from "../emails/record.ts"
import type { Work } from "../env.ts"
import { chunk } from "../lib/chunk.ts"
import { recordCloudflareEvents, recordReports } from "../providers/cloudflare/events.ts"
import { dispatchDeliveries } from "../webhooks/dispatch.ts"
import { probeWebhooks } from "../webhooks/probe.ts"
import { handleApart } from "./apart.ts"
import { keepDeadLetters } from "./dead-letters.ts"
import type { QueueMessage } from "./messages.ts"

const EMAILS_A_CLAIM = 100

/** Each takes a request of an invocation's thousand, and large ones a second. */
const EMAILS_AN_INVOCATION = 400

/** So do claims, where a rate lets emails go a few at a time: what is left waits for another one. */
const CLAIMS_WITHIN_MS = 20_000
const LEFT_WAITS_MS = 5_000

/** One invocation of the queue handler. A message that fails is delivered again, and no other. */
export async function consume(work: Work, batch: MessageBatch<QueueMessage>): Promise<void> {
  const until = work.now() + CLAIMS_WITHIN_MS
  await handleApart(batch.messages, (messages) => {
    if (batch.queue.endsWith("-dead-letters")) return keepDeadLetters(work, messages)
    if (batch.queue.endsWith("-email-events")) return recordCloudflareEvents(work, messages)
    return handle(
      work,
      messages.map(({ body }) => body),
      until,
    )
  })
}

async function handle(work: Work, bodies: readonly QueueMessage[], until: number): Promise<void> {
  for (const kind of ["sends", "sends-bulk"] as const) {
    const emails = bodies.flatMap((body) =>
      body.kind === kind && "emails" in body ? body.emails : [],
    )
    await sendEmails(work, emails, { bulk: kind === "sends-bulk", until })
  }
  const pages = bodies.flatMap((body) => ("page" in body ? body.page : []))
  for (const page of pages) await dispatchPage(work, page, { until })
  await recordEvents(
    work,
    bodies.flatMap((body) => ("events" in body ? body.events : [])),
  )
  const reports = bodies.flatMap((body) => ("report" in body ? [body.report] : []))
  if (reports.length > 0) await recordReports(work, reports)
  const deliveries = bodies.flatMap((body) => ("deliveries" in body ? body.deliveries : []))
  if (deliveries.length > 0) await dispatchDeliveries(work, deliveries)
  const held = bodies.flatMap((body) => (body.kind === "probes" ? body.webhooks : []))
  if (held.length > 0) await probeWebhooks(work, held)
  const campaigns = bodies.flatMap((body) => ("campaigns" in body ? body.campaigns : []))
  for (const ref of campaigns) await advanceCampaign(work, ref)
}

async function sendEmails(
  work: Work,
  emails: readonly EmailRef[],
  { bulk, until }: { bulk: boolean; until: number },
): Promise<void> {
  const enqueueLater = (refs: readonly EmailRef[], waitMs = 0) => {
    const notBefore = work.now() + waitMs
    return enqueueSends(
      work,
      refs.map((ref) => ({ ...ref, notBefore, bulk })),
    )
  }
  await enqueueLater(emails.slice(EMAILS_AN_INVOCATION))
  for (const part of chunk(emails.slice(0, EMAILS_AN_INVOCATION), EMAILS_A_CLAIM)) {
    await enqueueLater(await dispatchEmails(work, part, { bulk, until }), LEFT_WAITS_MS)
  }
}
