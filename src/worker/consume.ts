import { chunk } from "../lib/chunk.ts"
import { log } from "../lib/log.ts"
import type { CampaignsMessage } from "./campaigns/messages.ts"
import { advanceCampaign } from "./campaigns/sending/fan-out.ts"
import { type MinuteMessage, runMinute } from "./cron.ts"
import type { SendsMessage } from "./emails/messages.ts"
import type { OutcomesMessage } from "./emails/outcomes/queue.ts"
import { recordEvents } from "./emails/outcomes/record.ts"
import { sendBacklog, sendFirst } from "./emails/sending/dispatch.ts"
import type { Work } from "./platform/context.ts"
import { databaseNumber, workIn } from "./platform/db/databases.ts"
import { keepDeadLetters } from "./platform/queues/dead-letters.ts"
import { handleApart } from "./platform/queues/handle-apart.ts"
import { enqueueNow, type QueueMessage as HintedMessage } from "./platform/queues/messages.ts"
import type { ReceivedMessage } from "./received/taking/queue.ts"
import type { SequencesMessage } from "./sequences/messages.ts"
import type { MovesMessage } from "./teams/moving/enqueue.ts"
import { dispatchDeliveries } from "./webhooks/deliveries/dispatch.ts"
import type { WebhooksMessage } from "./webhooks/messages.ts"

/** The messages of all queues. */
export type QueueMessage = (
  | SendsMessage
  | OutcomesMessage
  | CampaignsMessage
  | SequencesMessage
  | WebhooksMessage
  | MinuteMessage
  | MovesMessage
  | ReceivedMessage
) &
  Pick<HintedMessage, "database">

const TEAMS_A_MESSAGE = 1_000

/** The queue itself allows an invocation a quarter of an hour. */
const CLAIMS_WITHIN_MS = 20_000

/** One invocation of the queue handler. Only a message that fails is delivered again. */
export async function consume(work: Work, batch: MessageBatch<QueueMessage>): Promise<void> {
  const { queue } = batch
  const messages = batch.messages.filter(isReadable)
  if (queue.endsWith("-dead-letters")) {
    return handleApart(messages, (part) => keepDeadLetters(work, part))
  }
  if (queue.endsWith("-email-events")) {
    const { recordCloudflareEvents } = await import("./providers/cloudflare/events.ts")
    return handleApart(messages, (part) => recordCloudflareEvents(work, part))
  }
  const until = work.now() + CLAIMS_WITHIN_MS
  const here = databaseNumber(work.env)
  const byDatabase = Map.groupBy(messages, ({ body }) => body.database ?? here)
  // A database that hangs delays no other.
  await Promise.all(
    [...byDatabase].map(([number, ofDatabase]) =>
      handleApart(ofDatabase, (part) =>
        handle(
          workIn(work, number),
          part.map(({ body }) => body),
          until,
        ),
      ),
    ),
  )
}

/** A message that somebody sent by hand may be anything: what is no object is dropped. */
function isReadable({ id, body }: Message<unknown>): boolean {
  const isObject = typeof body === "object" && body !== null
  if (!isObject) log("error", { unreadableMessage: id })
  return isObject
}

async function handle(work: Work, bodies: readonly QueueMessage[], until: number): Promise<void> {
  await consumeSends(work, bodies, until)
  await recordEvents(
    work,
    bodies.flatMap((body) => ("events" in body ? body.events : [])),
  )
  const reports = bodies.flatMap((body) => ("report" in body ? [body.report] : []))
  if (reports.length > 0) {
    const { recordReplayedEvents } = await import("./providers/cloudflare/events.ts")
    await recordReplayedEvents(work, reports)
  }
  const due = bodies.flatMap((body) => (body.kind === "deliveries" ? body.webhooks : []))
  if (due.length > 0) await dispatchDeliveries(work, due)
  const campaigns = bodies.flatMap((body) => ("campaigns" in body ? body.campaigns : []))
  for (const ref of campaigns) await advanceCampaign(work, ref)
  if (bodies.some(({ kind }) => kind === "received")) {
    const { workOff } = await import("./received/taking/work-off.ts")
    await workOff(work)
  }
  if (bodies.some((body) => "runs" in body)) {
    const { sweepSequences } = await import("./sequences/running/sweep.ts")
    await sweepSequences(work)
  }
  const minutes = bodies.filter((body) => body.kind === "minutes")
  const minute = minutes.find((body) => !body.moves)
  if (minute) await runMinute(work, minute)
  if (minutes.some(({ moves }) => moves)) {
    const { advanceMoves } = await import("./teams/moving/sweep.ts")
    await advanceMoves(work)
  }
}

/** All messages of one kind cause one claim, since the database knows the emails. */
async function consumeSends(work: Work, bodies: readonly QueueMessage[], until: number) {
  const first = hintOf(bodies, "sends")
  const backlog = hintOf(bodies, "sends-backlog")
  const bulk = hintOf(bodies, "sends-bulk")
  if (first && (await sendFirst(work, first))) await enqueueBacklog(work, first)
  if (backlog) {
    const messages = await sendBacklog(work, { ...backlog, until })
    for (let sent = 0; sent < messages; sent++) await enqueueBacklog(work, backlog)
  }
  if (bulk) {
    const messages = await sendBacklog(work, { ...bulk, bulk: true, until })
    await enqueueNow(work.env, Array(messages).fill({ kind: "sends-bulk", dueAt: bulk.dueAt }))
  }
}

/** A message holds 128 KB, so teams are split into parts. */
async function enqueueBacklog(work: Work, { teams, dueAt }: { teams: string[]; dueAt: number }) {
  const parts = teams.length > 0 ? chunk(teams, TEAMS_A_MESSAGE) : [[]]
  await enqueueNow(
    work.env,
    parts.map((part): QueueMessage => ({ kind: "sends-backlog", teams: part, dueAt })),
  )
}

/** What all messages of one kind say. Null if there are none. */
function hintOf(bodies: readonly QueueMessage[], kind: "sends" | "sends-backlog" | "sends-bulk") {
  const members = bodies.filter((body) => body.kind === kind)
  if (members.length === 0) return null
  const teams = new Set(members.flatMap((body) => ("teams" in body ? body.teams : [])))
  const dueAt = Math.max(0, ...members.map((body) => ("dueAt" in body ? body.dueAt : 0)))
  return { teams: [...teams], dueAt }
}
