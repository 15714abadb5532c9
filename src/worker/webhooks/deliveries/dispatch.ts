import { mapLimit } from "../../../lib/chunk.ts"
import { logError } from "../../../lib/log.ts"
import type { Work } from "../../platform/context.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import type { WebhookRow } from "../events/table.ts"
import type { DeliveryRef } from "../messages.ts"
import { type Attempted, attemptDelivery, type ClaimedDelivery } from "./attempt.ts"
import { claimListed, LEASE_MS } from "./claim.ts"
import {
  createDispatchBudget,
  type DispatchBudget,
  isSilent,
  SILENT_MS,
  waitUntilStalled,
} from "./dispatch-budget.ts"
import { holdWebhook, isSlow } from "./hold.ts"
import { type Result, recordResults } from "./record.ts"

const DELIVERIES_A_CLAIM = 50

/**
 * Attempts these deliveries, each webhook apart from the others: a slow receiver delays only its own.
 * Attempts at silent receivers go on after this function returns.
 */
export async function dispatchDeliveries(work: Work, refs: readonly DeliveryRef[]): Promise<void> {
  const budget = createDispatchBudget(work)
  const byWebhook = Map.groupBy(refs, ({ webhookId }) => webhookId)
  const served = Promise.allSettled(
    [...byWebhook].map(([webhookId, members]) =>
      dispatchToWebhook(work, budget, webhookId, members),
    ),
  ).then((outcomes) => {
    const failure = outcomes.find(({ status }) => status === "rejected")
    if (failure?.status === "rejected") throw failure.reason
  })
  await waitUntilStalled(work, served, budget.stalled)
}

/** Tries one delivery. Its time says how many of the others fit into the rest of the time. */
async function dispatchToWebhook(
  work: Work,
  budget: DispatchBudget,
  webhookId: string,
  refs: readonly DeliveryRef[],
) {
  if (isSilent(work, webhookId)) return enqueueLater(work, refs, SILENT_MS)
  let left = refs
  let size = 1
  while (left.length > 0 && (await budget.takeConnection())) {
    const startedAt = work.now()
    const part = left.slice(0, size)
    left = left.slice(size)
    try {
      if (!(await attemptPart(work, budget, part))) return
    } finally {
      budget.releaseConnection()
    }
    const pace = Math.max(1, (work.now() - startedAt) / part.length)
    size = Math.min(DELIVERIES_A_CLAIM, Math.max(1, Math.floor(budget.timeLeft() / pace)))
  }
  await enqueueLater(work, left, 0)
}

const enqueueLater = (work: Work, refs: readonly DeliveryRef[], waitMs: number) =>
  enqueueDeliveries(
    work,
    refs.map((ref) => ({ ...ref, notBefore: work.now() + waitMs })),
  )

/** Claims, attempts and records, in two round trips. False if the webhook is held or gone. */
async function attemptPart(
  work: Work,
  budget: DispatchBudget,
  refs: readonly DeliveryRef[],
): Promise<boolean> {
  const { webhook, claims } = await claimListed(work, refs)
  if (!webhook || webhook.probeAt !== null) return false
  if (claims.length === 0) return true
  const { results, isHeld } = await attemptClaims(work, budget, webhook, claims)
  await recordResults(work, webhook, results, { isHeld })
  return !isHeld
}

/** Once the receiver is slow, its webhook is held, and no other attempt starts. */
async function attemptClaims(
  work: Work,
  budget: DispatchBudget,
  webhook: WebhookRow,
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
      if (isSlow(attempted)) hold()
      results.push({ delivery, ...attempted })
    })
  } finally {
    if (hasSecond) budget.releaseConnection()
  }
  await held
  return { results, isHeld: held !== undefined }
}

/** The time ended before the attempt: another consumer may claim the delivery. */
const release = (work: Work): Attempted => ({
  attempt: null,
  verdict: { state: "pending", notBefore: work.now() },
})
