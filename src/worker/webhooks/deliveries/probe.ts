import { mapLimit } from "../../../lib/chunk.ts"
import type { Work } from "../../platform/context.ts"
import type { WebhookRef } from "../messages.ts"
import { attemptDelivery } from "./attempt.ts"
import { claimProbe } from "./claim.ts"
import { PATIENCE_MS, waitUntilStalled } from "./dispatch-budget.ts"
import { recordResults } from "./record.ts"

const PROBES_AT_ONCE = 5

/** Tries one delivery of each held webhook. A receiver that hangs does not delay the other probes. */
export async function probeWebhooks(work: Work, refs: readonly WebhookRef[]): Promise<void> {
  const probes = mapLimit(refs, PROBES_AT_ONCE, (ref) => probe(work, ref))
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))
  await waitUntilStalled(work, probes, patience)
}

async function probe(work: Work, ref: WebhookRef): Promise<void> {
  const claimed = await claimProbe(work, ref)
  if (!claimed) return
  const { delivery, webhook } = claimed
  const attempted = await attemptDelivery(work, claimed)
  await recordResults(work, webhook, [{ delivery, ...attempted }], { isHeld: true })
}
