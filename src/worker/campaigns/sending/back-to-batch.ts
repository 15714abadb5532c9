import { type SQL, sql } from "drizzle-orm"
import type { EmailRow } from "../../emails/table.ts"
import { emails } from "../../emails/table.ts"
import type { Work } from "../../platform/context.ts"
import { assignments, insertInto } from "../../platform/db/columns.ts"
import { afterCommit, type Statement } from "../../platform/db/commit.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { sequences } from "../../sequences/table.ts"
import { enqueueCampaigns } from "../queue.ts"
import { campaignBatches, campaignRuns, heldBatches } from "../table.ts"

/** When the window of its sequence opens; undefined while a campaign or a sequence is paused. */
type HeldEmail = EmailRow & { until: number | undefined }

/**
 * Puts claimed emails back into batches, as if they had not been claimed. An email that the provider may
 * have stays `sending`. The next step of a paused campaign holds its batches, or leaves them to sending if
 * it was resumed meanwhile. Those of a sequence are held at once: the sweep of sequences releases them.
 */
export function backToBatches(work: Work, claimed: readonly HeldEmail[]): Statement[] {
  if (claimed.length === 0) return []
  const refs = claimed.map(({ teamId, id, claimedBy, notBefore, until }) => ({
    teamId,
    id,
    claimedBy,
    lease: notBefore,
    until: until ?? null,
  }))
  const x = jsonFields<(typeof refs)[number]>()
  const isClaimed = sql`${emails.teamId} = ${x.teamId} and ${emails.id} = ${x.id}
    and ${emails.status} = 'sending'
    and ${emails.claimedBy} = ${x.claimedBy} and ${emails.notBefore} = ${x.lease}`
  const stillClaimed = sql`from ${jsonRows(refs)} cross join emails on ${isClaimed}`
  const putBack = (batches: typeof campaignBatches, condition: SQL) =>
    work.db.run(
      insertInto(
        batches,
        {
          teamId: emails.teamId,
          campaignId: emails.campaignId,
          // Unique: a claim records its emails once.
          id: sql`min(${emails.claimedBy} || ${emails.id})`,
          emails: sql`json_group_array(${emails.id})`,
        },
        sql`${stillClaimed} where ${condition} group by ${emails.teamId}, ${emails.campaignId}`,
      ),
    )
  return [
    putBack(campaignBatches, sql`${emails.sequenceStep} is null`),
    putBack(heldBatches, sql`${emails.sequenceStep} is not null`),
    work.db
      .update(sequences)
      .set({ lookAt: sql`min(coalesce(${sequences.lookAt}, found.until), found.until)` })
      .from(
        sql`(select ${emails.teamId} as team_id, ${emails.campaignId} as sequence_id,
          min(${x.until}) as until
          ${stillClaimed} where ${x.until} is not null group by 1, 2) as found` as never,
      )
      .where(sql`${sequences.teamId} = found.team_id and ${sequences.id} = found.sequence_id`),
    afterCommit(
      work.db
        .update(campaignRuns)
        .set({ dueAt: work.now() })
        .where(sql`(${campaignRuns.teamId}, ${campaignRuns.campaignId}) in (
          select ${emails.teamId}, ${emails.campaignId} ${stillClaimed})`)
        .returning({ teamId: campaignRuns.teamId, campaignId: campaignRuns.campaignId }),
      (work, woken) =>
        enqueueCampaigns(
          work,
          woken.map((ref) => ({ ...ref, notBefore: work.now() })),
        ),
    ),
    work.db.run(sql`
      update emails set ${assignments(emails, {
        status: sql`iif(${emails.unanswered} = 1, 'queued', ${emails.status})`,
        notBefore: sql`0`,
        dueAt: sql`null`,
        attempts: sql`${emails.attempts} - 1`,
        unanswered: sql`${emails.unanswered} - 1`,
      })} from ${jsonRows(refs)} where ${isClaimed}`),
  ]
}
