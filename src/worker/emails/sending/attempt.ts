import { logError } from "../../../lib/log.ts"
import type { Unsendable, Withdrawn } from "../../campaigns/sending/campaign-mail.ts"
import type { Work } from "../../platform/context.ts"
import { MAX_ATTEMPTS, type Provider, partBytes } from "../../providers/provider.ts"
import type { Blocked } from "../../suppressions/blocking.ts"
import type { EmailContent } from "../content.ts"
import { type EventData, NEVER_ANSWERED, SENT_AGAIN } from "../contract.ts"
import type { EmailRow } from "../table.ts"
import { trackHtml } from "../tracking/track-html.ts"
import type { Claimed } from "./claim.ts"
import { openTextPart, toMessage } from "./message.ts"

/** The waits after the first five attempts. The sixth failure is final. */
export const RETRY_DELAYS_MS = [30, 60, 120, 240, 480].map((seconds) => seconds * 1000)

export type AttemptResult =
  | {
      kind: "accepted"
      providerMessageId: string
      acceptedAt: number
      bounces?: EventData[]
      reason?: string
      untracked?: EventData["untracked"]
    }
  | { kind: "cancelled"; data: EventData }
  | { kind: "failed"; reason: string; bounces?: EventData[] }
  | { kind: "retry"; reason: string; delayMs: number }
  /** The provider may have the message: nobody may claim the email until the lease ends. */
  | { kind: "unanswered" }
  /** There was no time left to start: another consumer may claim it at once. */
  | { kind: "released" }

const RELEASED: AttemptResult = { kind: "released" }

interface Attempt {
  provider: Provider
  /** No send begins after it. */
  deadline: number
  awaitSlot(): Promise<void>
}

/** Hands a claimed email to the provider, unless it must not be sent any more. */
export async function attemptSend(
  work: Work,
  claimed: Claimed,
  attempt: Attempt,
): Promise<AttemptResult> {
  const { email } = claimed
  const { provider, deadline, awaitSlot } = attempt
  if (claimed.blocked.length > 0) return cancelled("suppressed_recipient", claimed.blocked)
  if (claimed.isOfDeletedTeam) return cancelled("team_deleted")
  if (claimed.isOfLostDomain)
    return failed("The domain of 'from' was deleted or failed before the email went out.")
  if (email.attempts > MAX_ATTEMPTS) return failed(NEVER_ANSWERED)
  const isOver = () => work.now() > deadline
  if (isOver()) return RELEASED
  if (email.campaignId !== null && provider.refusesBulk) return failed(provider.refusesBulk)
  const prepared = await prepare(work, claimed, provider).catch(logged)
  if (prepared === undefined) return retry(email, UNREADABLE)
  if (prepared === null) return failed("The content of this email has been purged.")
  if ("withdrawn" in prepared) return cancelled(prepared.withdrawn)
  if ("unsendable" in prepared) return failed(prepared.unsendable)
  await awaitSlot()
  // The content may have come late.
  if (isOver()) return RELEASED
  return handOver(provider, email, prepared).catch(unanswered)
}

interface Prepared {
  content: EmailContent
  untracked?: EventData["untracked"]
}

/** The content as it is sent. An error here may be retried: the provider has seen nothing. */
async function prepare(
  work: Work,
  { email, load, tracked }: Claimed,
  provider: Provider,
): Promise<Prepared | Withdrawn | Unsendable | null> {
  const content = await load()
  if (!content || !("html" in content)) return content
  const ref = { teamId: email.teamId, emailId: email.id }
  // Made from the html before tracking, so that the text has the original links.
  const part = await openTextPart(content)
  const { html, untracked } = content.html
    ? await trackHtml(work.settings, ref, content.html, tracked, part.reader)
    : { html: null }
  const room = (provider.maxBytes ?? Number.POSITIVE_INFINITY) - partBytes({ ...content, html })
  return { content: { ...content, html, text: part.text(room) }, untracked }
}

async function handOver(
  provider: Provider,
  email: EmailRow,
  { content, untracked }: Prepared,
): Promise<AttemptResult> {
  const result = await provider.send(toMessage(email, content))
  if (result.ok) {
    const reason = email.unanswered > 1 && { reason: SENT_AGAIN }
    return { kind: "accepted", ...result, ...reason, ...(untracked && { untracked }) }
  }
  if (result.unanswered) return unanswered(new Error(result.reason))
  return result.retryable ? retry(email, result) : { kind: "failed", ...result }
}

interface Failure {
  reason: string
  bounces?: EventData[]
}

const UNREADABLE: Failure = { reason: "The content of this email could not be read." }

function retry({ attempts }: EmailRow, failure: Failure): AttemptResult {
  const delayMs = RETRY_DELAYS_MS[attempts - 1]
  return delayMs === undefined
    ? { kind: "failed", ...failure }
    : { kind: "retry", reason: failure.reason, delayMs }
}

function unanswered(error: unknown): AttemptResult {
  logged(error)
  return { kind: "unanswered" }
}

function logged(error: unknown): undefined {
  logError(error)
}

const failed = (reason: string): AttemptResult => ({ kind: "failed", reason })

const cancelled = (reason: string, blocked: readonly Blocked[] = []): AttemptResult => ({
  kind: "cancelled",
  data: { reason, ...(blocked.length > 0 && { recipients: blocked.map((one) => one.email) }) },
})
