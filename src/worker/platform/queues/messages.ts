import { chunk, chunkBySize } from "../../../lib/chunk.ts"
import type { Work } from "../context.ts"
import type { Env } from "../env.ts"

const QUEUES = {
  sends: "SENDS",
  "sends-backlog": "SENDS_BACKLOG",
  "sends-bulk": "SENDS_BULK",
  outcomes: "OUTCOMES",
  deliveries: "DELIVERIES",
  campaigns: "CAMPAIGNS",
  received: "RECEIVED",
  minutes: "MINUTES",
} as const satisfies Record<string, keyof Env>

/**
 * A message of a queue. It is only a hint, since the database has the work. The exception is an
 * outcome.
 */
export interface QueueMessage {
  kind: keyof typeof QUEUES
  /** The number of the database. Absent for the directory. */
  database?: number
  /** The message was a dead letter before. The second time, an operator decides. */
  replayed?: true
}

/** Cloudflare Queues take 100 messages and 256 KB at once, and 128 KB a message. */
const SENT_AT_ONCE = { count: 100, bytes: 200_000 }

interface DelayedMessage<M extends QueueMessage> {
  body: M
  delaySeconds: number
}

export const isDueWithin = (work: Work, { notBefore }: { notBefore: number }, ms: number) =>
  notBefore <= work.now() + ms

/**
 * Messages of up to `size` items each, that arrive when their items are due. Items due later than
 * `withinMs` get none.
 */
export function messagesWhenDue<T extends { notBefore: number }, M extends QueueMessage>(
  work: Work,
  items: readonly T[],
  { size, withinMs }: { size: number; withinMs: number },
  toMessage: (part: T[]) => M,
): DelayedMessage<M>[] {
  const now = work.now()
  const soon = items.filter((item) => isDueWithin(work, item, withinMs))
  const delays = Map.groupBy(soon, ({ notBefore }) =>
    Math.max(0, Math.ceil((notBefore - now) / 1000)),
  )
  return [...delays].flatMap(([delaySeconds, members]) =>
    chunk(members, size).map((part) => ({ body: toMessage(part), delaySeconds })),
  )
}

export const enqueueNow = <M extends QueueMessage>(
  env: Env,
  bodies: readonly M[],
  delaySeconds = 0,
): Promise<void> =>
  enqueueAll(
    env,
    bodies.map((body) => ({ body, delaySeconds })),
  )

export async function enqueueAll<M extends QueueMessage>(
  env: Env,
  messages: readonly DelayedMessage<M>[],
): Promise<void> {
  const { DATABASE: database } = env
  const addressed = messages.map(({ body, delaySeconds }) => ({
    body: database === undefined ? body : { database, ...body },
    delaySeconds,
  }))
  for (const [kind, members] of Map.groupBy(addressed, ({ body }) => body.kind)) {
    for (const part of chunkBySize(members, SENT_AT_ONCE)) await env[QUEUES[kind]].sendBatch(part)
  }
}
