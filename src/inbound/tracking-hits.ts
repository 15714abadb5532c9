import type { Work } from "../env.ts"
import { DAY_MS } from "../lib/time.ts"
import type { EmailRef } from "../queues/messages.ts"
import { enqueueOutcomes } from "../queues/messages.ts"
import { type EmailReport, reportOf } from "../queues/report.ts"

const MAX_USER_AGENT_LENGTH = 512

/** Who fetched a pixel or followed a link, as far as the request says it. */
export interface Visitor {
  userAgent: string
  ip: string
}

/** Takes note of an open, or of a click on `url`, after the reply. */
export function recordHit(work: Work, email: EmailRef, visitor: Visitor, url?: string): void {
  work.defer(enqueueOutcomes(work.env, [hit(work.now(), email, visitor, url)]))
}

/**
 * The same visitor's second hit of a UTC day is the same event: its id follows from the day. The
 * daily limit counts the ids of a day.
 */
function hit(now: number, email: EmailRef, { userAgent, ip }: Visitor, url?: string): EmailReport {
  const day = now - (now % DAY_MS)
  const data = {
    ...(url && { url }),
    ...(userAgent && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }),
    ...(ip && { ip }),
  }
  const type = url === undefined ? "opened" : "clicked"
  const event = reportOf(email, type, day, data, JSON.stringify([userAgent, url]))
  return { ...event, occurredAt: now }
}
