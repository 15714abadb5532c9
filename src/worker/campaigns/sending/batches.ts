import { and, eq } from "drizzle-orm"
import { enqueueSends } from "../../emails/queue.ts"
import { theseEmails } from "../../emails/sending/choose.ts"
import { claimEmails } from "../../emails/sending/claim.ts"
import { sendClaimed } from "../../emails/sending/send-claimed.ts"
import type { Work } from "../../platform/context.ts"
import { createProvider } from "../../providers/create-provider.ts"
import type { CampaignRef } from "../messages.ts"
import { campaignBatches } from "../table.ts"

/**
 * Cancels the emails of one batch of a cancelled campaign: sending finds them withdrawn. Answers
 * whether there was a batch.
 */
export async function cancelBatch(work: Work, { teamId, campaignId }: CampaignRef) {
  const isOfCampaign = and(
    eq(campaignBatches.teamId, teamId),
    eq(campaignBatches.campaignId, campaignId),
  )
  const [batch] = await work.db
    .select({ id: campaignBatches.id, emails: campaignBatches.emails })
    .from(campaignBatches)
    .where(isOfCampaign)
    .limit(1)
  if (!batch) return false
  const isBatch = and(isOfCampaign, eq(campaignBatches.id, batch.id))
  const provider = createProvider(work, { bulk: true })
  const choice = theseEmails(batch.emails.map((emailId) => ({ teamId, emailId })))
  const asked = { kind: "bulk", size: batch.emails.length, unpaced: true } as const
  const claim = await claimEmails(work, provider, choice, asked)
  await sendClaimed(work, provider, claim, [work.db.delete(campaignBatches).where(isBatch)])
  return true
}

/** Enqueues a message while there are batches: consumers take them one after another. */
export async function sweepBatches(work: Work): Promise<void> {
  const [batch] = await work.db
    .select({ teamId: campaignBatches.teamId })
    .from(campaignBatches)
    .limit(1)
  if (batch) await enqueueSends(work, [{ ...batch, notBefore: work.now(), bulk: true }])
}
