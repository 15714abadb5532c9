import { chunk, chunkBySize } from "../../../lib/chunk.ts"
import type { EmailReport } from "../../emails/outcomes/report.ts"
import type { Env, Work } from "../env.ts"

export interface EmailRef {
  teamId: string
  emailId: string
}

export interface CampaignRef {
  teamId: string
  campaignId: string
}

export interface WebhookRef {
  teamId: string
  webhookId: string
}

export interface DeliveryRef {
  teamId: string
  webhookId: string
  id: string
}

/**
 * The messages of the queues. A message is only a hint, since the database has the work. The exception
 * is an outcome.
 * `replayed`: the message was a dead letter before. The second time, an operator decides.
 */
export type QueueMessage =
  | { kind: "sends" | "sends-backlog"; teams: string[]; dueAt: number }
  | { kind: "sends-bulk"; dueAt: number }
  | { kind: "outcomes"; events: EmailReport[]; replayed?: true }
  /** An event of Cloudflare Email Service, as its own queue delivered it. */
  | { kind: "outcomes"; report: unknown; replayed?: true }
  | { kind: "deliveries"; deliveries: DeliveryRef[] }
  | { kind: "probes"; webhooks: WebhookRef[] }
  | { kind: "campaigns"; campaigns: CampaignRef[] }

type QueueKind = QueueMessage["kind"]

/** Cloudflare Queues take 100 messages and 256 KB at once, and 128 KB a message. */
const SENT_AT_ONCE = { count: 100, bytes: 200_000 }
const EVENTS_A_MESSAGE = { count: 100, bytes: 100_000 }

/**
 * Cloudflare Queues store a message before they acknowledge it. An event always fits into a message:
 * `reportOf` bounds its texts.
 */
export const enqueueOutcomes = (
  env: Env,
  events: readonly EmailReport[],
  delaySeconds = 0,
): Promise<void> =>
  enqueueAll(
    env,
    chunkBySize(events, EVENTS_A_MESSAGE).map((part) => ({
      body: { kind: "outcomes", events: part },
      delaySeconds,
    })),
  )

interface DelayedMessage {
  body: QueueMessage
  delaySeconds: number
}

export const isDueWithin = (work: Work, { notBefore }: { notBefore: number }, ms: number) =>
  notBefore <= work.now() + ms

/**
 * Messages of up to `size` items each, that arrive when their items are due. Items due later than
 * `withinMs` get none.
 */
export function messagesWhenDue<T extends { notBefore: number }>(
  work: Work,
  items: readonly T[],
  { size, withinMs }: { size: number; withinMs: number },
  toMessage: (part: T[]) => QueueMessage,
): DelayedMessage[] {
  const now = work.now()
  const soon = items.filter((item) => isDueWithin(work, item, withinMs))
  const delays = Map.groupBy(soon, ({ notBefore }) =>
    Math.max(0, Math.ceil((notBefore - now) / 1000)),
  )
  return [...delays].flatMap(([delaySeconds, members]) =>
    chunk(members, size).map((part) => ({ body: toMessage(part), delaySeconds })),
  )
}

export const enqueueNow = (env: Env, bodies: readonly QueueMessage[]): Promise<void> =>
  enqueueAll(
    env,
    bodies.map((body) => ({ body, delaySeconds: 0 })),
  )

export async function enqueueAll(env: Env, messages: readonly DelayedMessage[]): Promise<void> {
  for (const [kind, members] of Map.groupBy(messages, ({ body }) => body.kind)) {
    for (const part of chunkBySize(members, SENT_AT_ONCE)) await queueOf(env, kind).sendBatch(part)
  }
}

function queueOf(env: Env, kind: QueueKind): Queue {
  return {
    sends: env.SENDS,
    "sends-backlog": env.SENDS_BACKLOG,
    "sends-bulk": env.SENDS_BULK,
    outcomes: env.OUTCOMES,
    deliveries: env.DELIVERIES,
    probes: env.PROBES,
    campaigns: env.CAMPAIGNS,
  }[kind]
}
