import { DAY_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import type { EmailRef } from "../messages.ts"
import { enqueueOutcomes } from "../outcomes/queue.ts"
import { type EmailReport, reportOf } from "../outcomes/report.ts"

const MAX_USER_AGENT_LENGTH = 512

/** Who fetched a pixel or followed a link, according to the request. */
export interface Visitor {
  userAgent: string
  ip: string
}

/** Records an open, or a click on `url`, after the reply. */
export function recordHit(work: Work, email: EmailRef, visitor: Visitor, url?: string): void {
  work.defer(enqueueOutcomes(work.env, [hit(work.now(), email, visitor, url)]))
}

/**
 * A visitor's second hit on a UTC day is the same event, since the id is derived from the day. The
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
