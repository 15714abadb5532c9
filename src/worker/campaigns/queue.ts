import type { Work } from "../platform/context.ts"
import { ENQUEUED_AHEAD_MS } from "../platform/queues/due-work.ts"
import { enqueueAll, messagesWhenDue } from "../platform/queues/messages.ts"
import type { CampaignRef } from "./messages.ts"

const ONE = { size: 1, withinMs: ENQUEUED_AHEAD_MS }

export const enqueueCampaigns = (
  work: Work,
  refs: readonly (CampaignRef & { notBefore: number })[],
): Promise<void> =>
  enqueueAll(
    work.env,
    messagesWhenDue(work, refs, ONE, (part) => ({
      kind: "campaigns",
      campaigns: part.map(({ teamId, campaignId }) => ({ teamId, campaignId })),
    })),
  )
