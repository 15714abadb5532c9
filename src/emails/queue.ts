import type { Work } from "../env.ts"
import { enqueueWhenDue } from "../queues/messages.ts"

export interface EmailRef {
  teamId: string
  emailId: string
}

/** An email as the queues take it: when it may go out, and whether it is campaign mail. */
export interface Sendable extends EmailRef {
  notBefore: number
  bulk: boolean
}

/** Further ahead than this no message is sent: the minute sweep will find the email in time. */
export const SWEEP_LOOKS_AHEAD_MS = 60_000
const MAX_DELAY_MS = 2 * SWEEP_LOOKS_AHEAD_MS

const EMAILS_A_MESSAGE = 100

export async function enqueueSends(work: Work, emails: readonly Sendable[]): Promise<void> {
  const soon = emails.filter(({ notBefore }) => notBefore <= work.now() + MAX_DELAY_MS)
  const kinds = Map.groupBy(soon, ({ bulk }) => (bulk ? "sends-bulk" : "sends"))
  for (const [kind, members] of kinds) {
    await enqueueWhenDue(work, members, EMAILS_A_MESSAGE, (part) => ({
      kind,
      emails: part.map(({ teamId, emailId }) => ({ teamId, emailId })),
    }))
  }
}
