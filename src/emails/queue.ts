import type { Work } from "../env.ts"
import { enqueueWhenDue } from "../queues/messages.ts"

/** What a queue message needs of an email: its team, its time, and whether it is campaign mail. */
export interface Sendable {
  teamId: string
  notBefore: number
  bulk: boolean
}

/** An email due later than this gets no message: the minute sweep finds it in time. */
export const SWEEP_LOOKS_AHEAD_MS = 60_000
const MAX_DELAY_MS = 2 * SWEEP_LOOKS_AHEAD_MS

const EMAILS_A_MESSAGE = 100

/** Sends messages that name the teams with emails to send, and the time when they are due. */
export async function enqueueSends(work: Work, emails: readonly Sendable[]): Promise<void> {
  const soon = emails.filter(({ notBefore }) => notBefore <= work.now() + MAX_DELAY_MS)
  const { first = [], bulk = [] } = Object.groupBy(soon, (email) => (email.bulk ? "bulk" : "first"))
  await enqueueWhenDue(work, first, EMAILS_A_MESSAGE, (part) => ({
    kind: "sends",
    teams: [...new Set(part.map(({ teamId }) => teamId))],
    dueAt: latest(part),
  }))
  await enqueueWhenDue(work, bulk, Number.POSITIVE_INFINITY, (part) => ({
    kind: "sends-bulk",
    dueAt: latest(part),
  }))
}

const latest = (emails: readonly { notBefore: number }[]) =>
  Math.max(...emails.map(({ notBefore }) => notBefore))
