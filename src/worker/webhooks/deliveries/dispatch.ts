import { mapLimit } from "../../../lib/chunk.ts"
import { logError } from "../../../lib/log.ts"
import { endsWithin } from "../../../lib/within.ts"
import type { Work } from "../../platform/context.ts"
import { enqueueHints } from "../events/queue.ts"
import type { WebhookRef } from "../messages.ts"
import { attemptDelivery, type ClaimedWebhook, release } from "./attempt.ts"
import { type Claim, claimDue } from "./claim.sql.ts"
import { LEASE_MS } from "./due.ts"
import type { Result } from "./record.sql.ts"
import { recordResults } from "./record.ts"
import { mustRest, rest } from "./rest.ts"

/** A Worker has six connections open at once: one is left for the database. */
const CONNECTIONS = 5

/** The queue's handler waits this long. Attempts at slower receivers go on behind it. */
const PATIENCE_MS = 250

/** Attempts what is due of these webhooks, each apart from the others. */
export async function dispatchDeliveries(work: Work, refs: readonly WebhookRef[]): Promise<void> {
  const webhooks = [...new Map(refs.map((ref) => [ref.webhookId, ref])).values()]
  const atOnce = Math.max(1, Math.floor(CONNECTIONS / webhooks.length))
  const outcomes = await Promise.allSettled(
    webhooks.map((ref) => dispatchToWebhook(work, ref, atOnce)),
  )
  const failure = outcomes.find(({ status }) => status === "rejected")
  if (failure?.status === "rejected") throw failure.reason
}

/** The handler does not wait for a receiver that was slow before. */
async function dispatchToWebhook(work: Work, ref: WebhookRef, atOnce: number): Promise<void> {
  const claim = await claimDue(work, ref)
  const { webhook, claims } = claim
  if (!webhook || claims.length === 0) return
  const attempts = attemptClaims(work, ref, { ...claim, webhook }, atOnce)
  const patienceMs = webhook.restsUntil === null ? PATIENCE_MS : 0
  if (!(await endsWithin(patienceMs, attempts))) work.defer(attempts)
}

/**
 * Once the receiver is slow, its webhook rests, and no other attempt starts. A quick answer starts the next
 * consumer with what else is due.
 */
async function attemptClaims(
  work: Work,
  ref: WebhookRef,
  { webhook, claims, hasMore }: Claim & { webhook: ClaimedWebhook },
  atOnce: number,
): Promise<void> {
  const results: Result[] = []
  const isOpen = webhook.restsUntil === null
  let needsNext = hasMore && isOpen
  let isSlow = false
  let resting: Promise<unknown> | undefined
  const onSlow = () => {
    isSlow = true
    // The record of the attempts sets the rest again, so a failure here loses nothing.
    if (isOpen) resting ??= rest(work, ref, work.now() + LEASE_MS).then(null, logError)
  }
  await mapLimit(claims, atOnce, async (claimed) => {
    const attempted = isSlow ? release(work) : await attemptDelivery(work, claimed, onSlow)
    results.push({ delivery: claimed.delivery, ...attempted })
    isSlow ||= mustRest(attempted)
    if (needsNext && !isSlow) {
      needsNext = false
      // The minute's work finds what a lost hint leaves. The record of these attempts must not be lost.
      await enqueueHints(work, [{ ...ref, notBefore: work.now() }]).catch(logError)
    }
  })
  await resting
  await recordResults(work, webhook, results, { rests: isSlow || !isOpen })
}
