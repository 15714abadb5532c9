import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Edgepost, Email } from "../../client/index.ts"
import type { Installation } from "./checkup.ts"

const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 1_000

/** Sends an email and follows it until the provider has it. Null if all went well. */
export async function sendTrial(
  { client, baseUrl }: Installation,
  to: string,
): Promise<string | null> {
  const { data } = await client.domains.list({ limit: 100 })
  const domain = data.find(({ status }) => status === "verified")
  if (!domain) return "No domain is verified, so nothing can be sent: run edgepost domains verify."
  const { id } = await client.emails.send({
    from: `Edgepost doctor <doctor@${domain.name}>`,
    to,
    subject: "Edgepost doctor",
    html: '<p>This email was sent by <a href="https://example.com/">edgepost doctor</a>.</p>',
    trackClicks: true,
    idempotencyKey: randomUUID(),
  })
  const { status } = await untilHandedOver(client, id)
  if (status === "queued") {
    return `${id} is still queued after a minute: look at the Worker's queues and its cron.`
  }
  if (status === "sending" || status === "failed") {
    const { summary, cause, next } = await client.emails.explain(id)
    return `${id} is ${status}. ${cause?.meaning ?? summary} ${next[0] ?? ""}`
  }
  return domain.provider === "sandbox" ? checkTrackedLink(client, id, baseUrl) : null
}

async function untilHandedOver(client: Edgepost, id: string): Promise<Email> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const email = await client.emails.get(id)
    const waits = email.status === "queued" || email.status === "sending"
    if (!waits || email.lastError !== null || Date.now() > end) return email
    await sleep(LOOK_EVERY_MS)
  }
}

/** Links in emails begin with the setting BASE_URL. The sandbox shows the emails. */
async function checkTrackedLink(client: Edgepost, emailId: string, baseUrl: string) {
  const { data } = await client.sandbox.wait({ emailId, limit: 1, wait: 10 })
  const link = data[0]?.links.find((one) => new URL(one).pathname.startsWith("/t/"))
  if (!link) return `${emailId} has no tracked link in the test inbox.`
  const [theirs, ours] = [new URL(link).origin, new URL(baseUrl).origin]
  if (theirs === ours) return null
  return `Links in mail lead to ${theirs}, you call ${ours}: set BASE_URL to where recipients reach the service.`
}
