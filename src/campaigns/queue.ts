import type { Work } from "../env.ts"
import { type CampaignRef, enqueueWhenDue } from "../queues/messages.ts"

/** The sweep takes up a campaign whose queue message has not come within this time. */
export const LOOK_AGAIN_AFTER_MS = 60_000

/** A campaign due later than this gets no message: the minute sweep finds it in time. */
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
