import { and, eq, inArray } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { campaignRuns, campaigns } from "../table.ts"
import { nextUpdate } from "./move.ts"

/** For the batch that deletes a topic: its scheduled campaigns become drafts that say why. */
export function campaignsWithoutTopic(work: Work, teamId: string, topicId: string) {
  const isScheduled = and(
    eq(campaigns.teamId, teamId),
    eq(campaigns.status, "scheduled"),
    eq(campaigns.topicId, topicId),
  )
  const scheduled = work.db.select({ id: campaigns.id }).from(campaigns).where(isScheduled)
  return {
    runs: work.db
      .update(campaignRuns)
      .set({ dueAt: null, pausedReason: "Topic not found." })
      .where(and(eq(campaignRuns.teamId, teamId), inArray(campaignRuns.campaignId, scheduled))),
    drafts: work.db
      .update(campaigns)
      .set({ status: "draft", scheduledAt: null, updatedAt: nextUpdate(work) })
      .where(isScheduled),
  }
}
