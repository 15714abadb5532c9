import type { Env, Work } from "../env.ts"
import { chunk, chunkBySize } from "../lib/chunk.ts"
import type { EmailReport } from "./report.ts"

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
 * What the queues carry. The database knows all of it but outcomes: a message is only a hint.
 * `replayed`: it was a dead letter before, and waits for a person when it is one again.
 */
export type QueueMessage =
  | { kind: "sends" | "sends-backlog"; teams: string[]; dueAt: number }
  | { kind: "sends-bulk"; dueAt: number }
  | { kind: "outcomes"; events: EmailReport[]; replayed?: true }
  /** A report of Cloudflare Email Service, as its own queue brought it. */
  | { kind: "outcomes"; report: unknown; replayed?: true }
  | { kind: "deliveries"; deliveries: DeliveryRef[] }
  | { kind: "probes"; webhooks: WebhookRef[] }
  | { kind: "campaigns"; campaigns: CampaignRef[] }

type QueueKind = QueueMessage["kind"]

/** Cloudflare Queues take 100 messages and 256 KB at once, and 128 KB a message. */
const SENT_AT_ONCE = { count: 100, bytes: 200_000 }
const EVENTS_A_MESSAGE = { count: 100, bytes: 100_000 }

/**
 * Cloudflare Queues back an acknowledged send with storage. An event is smaller than a message:
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

/** Messages of up to `size` items each, that arrive when their items are due. */
export async function enqueueWhenDue<T extends { notBefore: number }>(
  work: Work,
  items: readonly T[],
  size: number,
  toMessage: (part: T[]) => QueueMessage,
): Promise<void> {
  await enqueueAll(work.env, messagesWhenDue(work, items, size, toMessage))
}

export interface DelayedMessage {
  body: QueueMessage
  delaySeconds: number
}

export function messagesWhenDue<T extends { notBefore: number }>(
  work: Work,
  items: readonly T[],
  size: number,
  toMessage: (part: T[]) => QueueMessage,
): DelayedMessage[] {
  const now = work.now()
  const delays = Map.groupBy(items, ({ notBefore }) =>
    Math.max(0, Math.ceil((notBefore - now) / 1000)),
  )
  return [...delays].flatMap(([delaySeconds, members]) =>
    chunk(members, size).map((part) => ({ body: toMessage(part), delaySeconds })),
  )
}

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
