import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { STATUS_RANK } from "../emails/contract.ts"
import type { EmailRef } from "../emails/messages.ts"
import { emails } from "../emails/table.ts"
import type { Work } from "../platform/context.ts"
import type { Query } from "../platform/db/client.ts"
import { assignments, columnsOf, resultColumns } from "../platform/db/columns.ts"
import { afterCommit, type WithAfterCommit } from "../platform/db/commit.ts"
import { countStepUnsubscribed } from "../sequences/counts.ts"
import { addCounted, COUNTED_SUMS, first, firstsOf, UNSUBSCRIBED_BIT } from "../stats/counters.ts"
import type { CampaignRef } from "./messages.ts"
import { enqueueCampaigns } from "./queue.ts"
import { campaignRuns, campaigns } from "./table.ts"

const run = campaignRuns

/**
 * Adds the new events in `newEvents` to the counts of their campaigns, in the batch that records them.
 * Answers with these campaigns. `waiting` is 1 where the last open email has ended: the campaign
 * goes on now.
 */
export const countCampaigns = ({ db }: Pick<Work, "db">, newEvents: SQL, now: Placeholder) =>
  db.all<Moved>(sql`
    update campaign_runs set ${assignments(campaignRuns, {
      ...addCounted(campaignRuns, "added"),
      waveSent: sql`${run.waveSent} + ${added.wave_sent}`,
      waveBounced: sql`${run.waveBounced} + ${added.wave_bounced}`,
      waveComplained: sql`${run.waveComplained} + ${added.wave_complained}`,
      replied: sql`${run.replied} + ${added.replied}`,
      open: sql`${run.open} - ${added.ended}`,
      waveOpen: sql`${run.waveOpen} - ${added.wave_ended}`,
      dueAt: sql`iif(${isOver}, ${now}, ${run.dueAt})`,
    })}
    from (
      with ${firstsOf(newEvents)}
      select ${resultColumns(ADDED)}, ${COUNTED_SUMS}
      from firsts join campaign_runs
        on ${run.teamId} = ${first.team_id} and ${run.campaignId} = ${first.campaign_id}
      group by ${run.teamId}, ${run.campaignId}
    ) as added
    where ${run.teamId} = ${added.team_id} and ${run.campaignId} = ${added.campaign_id}
    returning ${resultColumns({ teamId: run.teamId, campaignId: run.campaignId })},
      ${run.dueAt} <= ${now} and iif(${run.waveEndedAt} is null, ${run.open}, ${run.waveOpen}) = 0
        as waiting`)

const isEnd = sql`not ${first.ended} and ${first.rank} > ${STATUS_RANK.sent}`
const isOfWave = sql`${first.email_id} >= ${run.waveFrom}`

/** What new events add to the counts of a campaign. */
const ADDED = {
  team_id: run.teamId,
  campaign_id: run.campaignId,
  wave_sent: sql`sum(${first.type} = 'sent' and ${isOfWave})`,
  wave_bounced: sql`sum(${first.type} = 'bounced' and ${isOfWave})`,
  wave_complained: sql`sum(${first.type} = 'complained' and ${isOfWave})`,
  replied: sql`sum(${first.type} = 'replied')`,
  ended: sql`count(distinct iif(${isEnd}, ${first.email_id}, null))`,
  wave_ended: sql`count(distinct iif(${isEnd} and ${isOfWave}, ${first.email_id}, null))`,
}
const added = columnsOf<keyof typeof ADDED>("added")

/** The last open email has ended: of the campaign, or of the wave. */
const isOver = sql`iif(${run.waveEndedAt} is null,
  ${added.ended} > 0 and ${run.open} = ${added.ended} and ${run.completedAt} is null,
  ${added.wave_ended} > 0 and ${run.waveOpen} = ${added.wave_ended}
) and exists (
  select 1 from campaigns where ${campaigns.teamId} = ${run.teamId} and ${campaigns.id} = ${run.campaignId}
    and ${campaigns.status} = iif(${run.waveEndedAt} is null, 'sent', 'sending'))`

interface Moved extends CampaignRef {
  waiting: 0 | 1
}

/** Messages for the campaigns that go on follow the commit. */
export const thenEnqueueCampaigns = <Q extends Query & { _: { result: Moved[] } }>(
  query: Q,
): WithAfterCommit<Q> =>
  afterCommit(query, (work, moved: readonly Moved[]) =>
    enqueueCampaigns(
      work,
      moved.filter(({ waiting }) => waiting).map((ref) => ({ ...ref, notBefore: work.now() })),
    ),
  )

/** Counts a recipient who unsubscribes through a campaign's link, if `condition` holds. */
export function countUnsubscribed(work: Work, { teamId, emailId }: EmailRef, condition: SQL) {
  const isFirst = sql`${emails.teamId} = ${teamId} and ${emails.id} = ${emailId}
    and not ${emails.eventTypes} & ${UNSUBSCRIBED_BIT} and ${condition}`
  return [
    countStepUnsubscribed(work, { teamId, emailId }, condition),
    work.db
      .update(campaignRuns)
      .set({ unsubscribed: sql`${run.unsubscribed} + 1` })
      .where(
        sql`(${run.teamId}, ${run.campaignId}) in (
          select ${emails.teamId}, ${emails.campaignId} from emails where ${isFirst})`,
      ),
    work.db.run(sql`
      update emails set ${assignments(emails, {
        eventTypes: sql`${emails.eventTypes} | ${UNSUBSCRIBED_BIT}`,
      })} where ${isFirst}`),
  ] as const
}
