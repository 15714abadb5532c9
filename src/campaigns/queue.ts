import type { Work } from "../env.ts"
import type { CampaignRef } from "../queues/messages.ts"
import { enqueueWhenDue } from "../queues/messages.ts"

/** How long a queue may take before the sweep looks after a campaign. */
export const LOOK_AGAIN_AFTER_MS = 60_000

/** Further ahead than this no message is sent: the minute sweep will find the campaign in time. */
export const SWEEP_LOOKS_AHEAD_MS = 60_000

export async function enqueueCampaigns(
  work: Work,
  refs: readonly (CampaignRef & { notBefore: number })[],
): Promise<void> {
  const soon = refs.filter(({ notBefore }) => notBefore <= work.now() + 2 * SWEEP_LOOKS_AHEAD_MS)
  await enqueueWhenDue(work, soon, 1, (part) => ({
    kind: "campaigns",
    campaigns: part.map(({ teamId, campaignId }) => ({ teamId, campaignId })),
  }))
}
