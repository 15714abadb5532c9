import { sql } from "drizzle-orm"
import type { EmailRow } from "../../emails/table.ts"
import { e, emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, insertInto } from "../../platform/db/columns.ts"
import { afterCommit, type Statement } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { enqueueCampaigns } from "../queue.ts"
import { campaignBatches, campaignRuns } from "../table.ts"

/**
 * Puts claimed emails of paused campaigns back into batches, as if they had not been claimed. The next
 * step of a campaign holds its batches, or leaves them to sending if it was resumed meanwhile.
 */
export function backToBatches(work: Work, claimed: readonly EmailRow[]): Statement[] {
  if (claimed.length === 0) return []
  const refs = claimed.map(({ teamId, id, claimedBy, notBefore }) => ({
    teamId,
    id,
    claimedBy,
    lease: notBefore,
  }))
  const x = jsonFields<(typeof refs)[number]>()
  const isClaimed = sql`${e.teamId} = ${x.teamId} and ${e.id} = ${x.id} and ${e.status} = 'sending'
    and ${e.claimedBy} = ${x.claimedBy} and ${e.notBefore} = ${x.lease}`
  const stillClaimed = sql`from ${jsonRows(refs)} cross join emails e on ${isClaimed}`
  return [
    work.db.run(sql`
      ${insertInto(
        campaignBatches,
        {
          teamId: e.teamId,
          campaignId: e.campaignId,
          // Unique: a claim records its emails once.
          id: sql`min(${e.claimedBy} || ${e.id})`,
          emails: sql`json_group_array(${e.id})`,
        },
        sql`${stillClaimed} group by ${e.teamId}, ${e.campaignId}`,
      )}`),
    afterCommit(
      work.db
        .update(campaignRuns)
        .set({ dueAt: work.now() })
        .where(sql`(${campaignRuns.teamId}, ${campaignRuns.campaignId}) in (
          select ${e.teamId}, ${e.campaignId} ${stillClaimed})`)
        .returning({ teamId: campaignRuns.teamId, campaignId: campaignRuns.campaignId }),
      (work, woken) =>
        enqueueCampaigns(
          work,
          woken.map((ref) => ({ ...ref, notBefore: work.now() })),
        ),
    ),
    work.db.run(sql`
      update emails as e set ${assignments(emails, {
        notBefore: sql`0`,
        dueAt: sql`null`,
        attempts: sql`${e.attempts} - 1`,
        unanswered: sql`${e.unanswered} - 1`,
      })} from ${jsonRows(refs)} where ${isClaimed}`),
  ]
}
