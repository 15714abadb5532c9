import type { Work } from "../platform/context.ts"
import { ENQUEUED_AHEAD_MS } from "../platform/queues/due-work.ts"
import { enqueueAll, isDueWithin, messagesWhenDue } from "../platform/queues/messages.ts"
import type { SendsMessage } from "./messages.ts"

export interface Sendable {
  teamId: string
  notBefore: number
  bulk: boolean
}

/** Whether the email gets a queue message. The sweep finds an email that is due later. */
export const getsMessage = (work: Work, email: Pick<Sendable, "notBefore">) =>
  isDueWithin(work, email, ENQUEUED_AHEAD_MS)

const FIRST = { size: 100, withinMs: ENQUEUED_AHEAD_MS }
const BULK = { size: Number.POSITIVE_INFINITY, withinMs: ENQUEUED_AHEAD_MS }

/** Sends messages that name the teams with emails to send, and the time when they are due. */
export async function enqueueSends(work: Work, emails: readonly Sendable[]): Promise<void> {
  const { first = [], bulk = [] } = Object.groupBy(emails, ({ bulk }) => (bulk ? "bulk" : "first"))
  await enqueueAll<SendsMessage>(work.env, [
    ...messagesWhenDue(work, first, FIRST, (part) => ({
      kind: "sends",
      teams: [...new Set(part.map(({ teamId }) => teamId))],
      dueAt: latest(part),
    })),
    ...messagesWhenDue(work, bulk, BULK, (part) => ({ kind: "sends-bulk", dueAt: latest(part) })),
  ])
}

const latest = (emails: readonly { notBefore: number }[]) =>
  Math.max(...emails.map(({ notBefore }) => notBefore))
