import { advanceCampaign } from "../campaigns/advance.ts"
import { sendBacklog, sendFirst } from "../emails/dispatch.ts"
import { recordEvents } from "../emails/record.ts"
import type { Work } from "../env.ts"
import { chunk } from "../lib/chunk.ts"
import { recordCloudflareEvents } from "../providers/cloudflare/events.ts"
import { dispatchDeliveries } from "../webhooks/dispatch.ts"
import { keepDeadLetters } from "./dead-letters.ts"
import { enqueue, type QueueMessage } from "./messages.ts"

const EVENTS_A_BATCH = 100

const TEAMS_A_MESSAGE = 1_000

/** The queue's own bound is a quarter of an hour. */
const CLAIMS_WITHIN_MS = 20_000

/** One invocation of the queue handler. What throws is delivered again, whole. */
export async function consume(work: Work, batch: MessageBatch<QueueMessage>): Promise<void> {
  if (batch.queue.endsWith("-dead-letters")) return keepDeadLetters(work, batch.messages)
  if (batch.queue.endsWith("-email-events")) return recordCloudflareEvents(work, batch.messages)
  const bodies = batch.messages.map(({ body }) => body)
  const until = work.now() + CLAIMS_WITHIN_MS
  await consumeSends(work, bodies, until)
  const events = bodies.flatMap((body) => ("events" in body ? body.events : []))
  for (const part of chunk(events, EVENTS_A_BATCH)) await recordEvents(work, part)
  const deliveries = bodies.flatMap((body) => ("deliveries" in body ? body.deliveries : []))
  if (deliveries.length > 0) await dispatchDeliveries(work, deliveries)
  const campaigns = bodies.flatMap((body) => ("campaigns" in body ? body.campaigns : []))
  for (const ref of campaigns) await advanceCampaign(work, ref)
}

/** Messages of one kind are one look: what they tell of is in the database. */
async function consumeSends(work: Work, bodies: readonly QueueMessage[], until: number) {
  const first = lookOf(bodies, "sends")
  const backlog = lookOf(bodies, "sends-backlog")
  const bulk = lookOf(bodies, "sends-bulk")
  if (first && (await sendFirst(work, first))) await carryOn(work, first)
  if (backlog) {
    const messages = await sendBacklog(work, { ...backlog, until })
    for (let sent = 0; sent < messages; sent++) await carryOn(work, backlog)
  }
  if (bulk) {
    const messages = await sendBacklog(work, { ...bulk, bulk: true, until })
    for (let sent = 0; sent < messages; sent++) {
      await enqueue(work.env, { kind: "sends-bulk", dueAt: bulk.dueAt })
    }
  }
}

/** To the backlog: a message holds 128 KB. */
async function carryOn(work: Work, { teams, dueAt }: { teams: string[]; dueAt: number }) {
  const parts = teams.length > 0 ? chunk(teams, TEAMS_A_MESSAGE) : [[]]
  for (const part of parts) await enqueue(work.env, { kind: "sends-backlog", teams: part, dueAt })
}

function lookOf(bodies: readonly QueueMessage[], kind: "sends" | "sends-backlog" | "sends-bulk") {
  const members = bodies.filter((body) => body.kind === kind)
  if (members.length === 0) return null
  const teams = new Set(members.flatMap((body) => ("teams" in body ? body.teams : [])))
  const dueAt = Math.max(0, ...members.map((body) => ("dueAt" in body ? body.dueAt : 0)))
  return { teams: [...teams], dueAt }
}
