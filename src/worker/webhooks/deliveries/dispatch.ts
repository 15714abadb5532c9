import { mapLimit } from "../../../lib/chunk.ts"
import { logError } from "../../../lib/log.ts"
import type { Work } from "../../platform/context.ts"
import { enqueueHints } from "../events/queue.ts"
import type { WebhookHint, WebhookRef } from "../messages.ts"
import { attemptDelivery, type ClaimedDelivery, type ClaimedWebhook, release } from "./attempt.ts"
import { claimDue } from "./claim.ts"
import {
  createDispatchBudget,
  type DispatchBudget,
  isSilent,
  PATIENCE_MS,
  SILENT_MS,
  waitUntilStalled,
} from "./dispatch-budget.ts"
import { LEASE_MS } from "./due.ts"
import { holdWebhook, mustHold } from "./hold.ts"
import { type Result, recordResults } from "./record.ts"

const DELIVERIES_A_CLAIM = 50

/** After so many attempts in its time, a webhook gets a second hint beside the next one. */
const QUICK = 20
const MAX_WIDTH = 8

/**
 * Attempts what is due of these webhooks, each apart from the others: a slow receiver delays only its
 * own. Attempts at silent receivers go on after this function returns.
 */
export async function dispatchDeliveries(work: Work, hints: readonly WebhookHint[]): Promise<void> {
  const budget = createDispatchBudget(work)
  const byWebhook = new Map(hints.map((hint) => [hint.webhookId, hint]))
  const served = Promise.allSettled(
    [...byWebhook.values()].map((hint) => dispatchToWebhook(work, budget, hint)),
  ).then((outcomes) => {
    const failure = outcomes.find(({ status }) => status === "rejected")
    if (failure?.status === "rejected") throw failure.reason
  })
  await waitUntilStalled(work, served, budget.stalled)
}

/** Tries one delivery. Its time says how many of the others fit into the rest of the time. */
async function dispatchToWebhook(work: Work, budget: DispatchBudget, hint: WebhookHint) {
  const later = { ...hint, notBefore: work.now() }
  if (isSilent(work, hint.webhookId)) {
    return enqueueHints(work, [{ ...later, notBefore: work.now() + SILENT_MS }])
  }
  let size = 1
  let attempted = 0
  let hasMore = true
  while (hasMore && (await budget.takeConnection())) {
    const startedAt = work.now()
    try {
      const part = await attemptPart(work, budget, hint, size)
      attempted += part.attempted
      hasMore = part.hasMore
      const tookMs = work.now() - startedAt
      // Meanwhile the receiver counted as silent, and other hints were put off.
      if (tookMs >= PATIENCE_MS && part.attempted > 0 && !part.isHeld) hasMore = true
      const pace = Math.max(1, tookMs / Math.max(1, part.attempted))
      size = Math.min(DELIVERIES_A_CLAIM, Math.max(1, Math.floor(budget.timeLeft() / pace)))
    } finally {
      budget.releaseConnection()
    }
  }
  if (hasMore) await enqueueHints(work, nextHints(later, attempted))
}

/** A receiver that is quick enough gets more consumers. */
function nextHints<H extends WebhookHint>(hint: H, attempted: number): H[] {
  const { width = 1 } = hint
  if (attempted < QUICK || width >= MAX_WIDTH) return [hint]
  const wider = { ...hint, width: 2 * width }
  return [wider, wider]
}

/** Claims, attempts and records, in two round trips. */
async function attemptPart(
  work: Work,
  budget: DispatchBudget,
  { teamId, webhookId }: WebhookRef,
  size: number,
) {
  const { webhook, claims, hasMore } = await claimDue(work, { teamId, webhookId }, size)
  if (!webhook || claims.length === 0) return { attempted: 0, hasMore, isHeld: false }
  const { results, isHeld } = await attemptClaims(work, budget, webhook, claims)
  await recordResults(work, webhook, results, { isHeld })
  const attempted = results.filter(({ attempt }) => attempt).length
  return {
    attempted,
    hasMore: !isHeld && (hasMore || attempted < results.length),
    isHeld,
  }
}

/** Once the receiver is slow, its webhook is held, and no other attempt starts. */
async function attemptClaims(
  work: Work,
  budget: DispatchBudget,
  webhook: ClaimedWebhook,
  claims: readonly ClaimedDelivery[],
): Promise<{ results: Result[]; isHeld: boolean }> {
  const ref = { teamId: webhook.teamId, webhookId: webhook.id }
  const results: Result[] = []
  let held: Promise<unknown> | undefined
  const hold = () => {
    // The record of the attempts holds the webhook again, so a failure here loses nothing.
    held ??= holdWebhook(work, ref, work.now() + LEASE_MS).catch(logError)
  }
  const hasSecond = claims.length > 1 && budget.takeFreeConnection()
  try {
    await mapLimit(claims, hasSecond ? 2 : 1, async (claimed) => {
      const { delivery } = claimed
      // A probe claims the rest once the lease is over.
      if (held) return
      if (results.length > 0 && budget.timeLeft() <= 0) {
        results.push({ delivery, ...release(work) })
        return
      }
      const attempted = await budget.awaitAnswer(webhook.id, attemptDelivery(work, claimed, hold))
      if (mustHold(attempted)) hold()
      results.push({ delivery, ...attempted })
    })
  } finally {
    if (hasSecond) budget.releaseConnection()
  }
  await held
  return { results, isHeld: held !== undefined }
}
