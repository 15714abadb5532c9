import { CLOCKS_APART_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { leaveDatabaseToOthers } from "../../platform/db/leave-to-others.ts"
import { selectFence } from "../../teams/moving/fenced.ts"
import type { CampaignRef } from "../messages.ts"
import { enqueueCampaigns } from "../queue.ts"
import { startScheduled } from "../run/start.ts"
import { selectCampaign } from "../view.ts"
import { readSegmentPage, selectAudience, selectLastSeen, skipTo } from "./audience-page.ts"
import { cancelBatch } from "./batches.ts"
import { completeCampaign, endFanOut } from "./ends.ts"
import { holdBatches, releaseBatches, selectHeld } from "./held-batches.ts"
import { mailBatch } from "./mail-batch.ts"
import { judgeWave, leftInWave } from "./waves.ts"

const STEPS_A_MESSAGE = 10

/** Takes some steps of a campaign, and leaves the rest to another message. */
export async function advanceCampaign(work: Work, ref: CampaignRef): Promise<void> {
  for (let step = 0; step < STEPS_A_MESSAGE; step++) {
    if (!(await takeStep(work, ref))) return
    await leaveDatabaseToOthers()
  }
  await enqueueCampaigns(work, [{ ...ref, notBefore: work.now() }])
}

/** Answers whether there is more to do now. */
async function takeStep(work: Work, ref: CampaignRef): Promise<boolean> {
  const { found, held, fences, ...page } = await namedBatch(work.db, {
    found: selectCampaign(work, ref.teamId, ref.campaignId),
    audience: selectAudience(work, ref),
    lastSeen: selectLastSeen(work, ref),
    held: selectHeld(work, ref),
    fences: selectFence(work, ref.teamId),
  })
  const row = found[0]
  if (!row || fences.length > 0) return false
  if (row.status === "scheduled" && (row.scheduledAt ?? 0) <= work.now() + CLOCKS_APART_MS) {
    return startScheduled(work, row)
  }
  if (row.status === "sent" && row.open === 0 && row.completedAt === null) {
    await completeCampaign(work, row)
    return held.length > 0
  }
  if (row.pausedReason !== null) return holdBatches(work, ref)
  if (held.length > 0) return releaseBatches(work, ref)
  if (row.status === "cancelled") return cancelBatch(work, ref)
  if (row.status !== "sending") return false
  const { audience, lastSeen } = row.segmentFilter
    ? await readSegmentPage(work, ref, row.segmentFilter)
    : { audience: page.audience, lastSeen: page.lastSeen[0] }
  if (audience.length === 0 && lastSeen) return skipTo(work, row, lastSeen.id)
  if (audience.length === 0) {
    await endFanOut(work, row)
    return true
  }
  const room = await leftInWave(work, row)
  if (room <= 0) return (await judgeWave(work, row)) === "goes on"
  return mailBatch(work, row, audience.slice(0, room))
}
