import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { enqueueCampaigns } from "../campaigns/queue.ts"
import { campaignRuns, k } from "../campaigns/table.ts"
import type { Query } from "../db/client.ts"
import { assigned, columnsAs } from "../db/columns.ts"
import { type Followed, followed } from "../db/commit.ts"
import { STATUS_RANK } from "../emails/contract.ts"
import { e, emails } from "../emails/table.ts"
import type { Work } from "../env.ts"
import type { CampaignRef, EmailRef } from "../queues/messages.ts"
import { addCounted, COUNTED_SUMS, first, firstsOf, UNSUBSCRIBED_BIT } from "../stats/counters.ts"

const run = campaignRuns

/**
 * Adds the new events in `fresh` to the counts of their campaigns, in the batch that records them.
 * Answers with these campaigns. `waiting` is 1 where the last open email has ended: the campaign
 * goes on now.
 */
export const countCampaigns = ({ db }: Pick<Work, "db">, fresh: SQL, now: Placeholder) =>
  db.all<Moved>(sql`
    update campaign_runs set ${assigned(campaignRuns, {
      ...addCounted(campaignRuns, "news"),
      waveSent: sql`${run.waveSent} + news.wave_sent`,
      waveBounced: sql`${run.waveBounced} + news.wave_bounced`,
      waveComplained: sql`${run.waveComplained} + news.wave_complained`,
      open: sql`${run.open} - news.ended`,
      waveOpen: sql`${run.waveOpen} - news.wave_ended`,
      dueAt: sql`iif(${isOver}, ${now}, ${run.dueAt})`,
    })}
    from (
      with ${firstsOf(fresh)}
      select ${run.teamId}, ${run.campaignId}, ${COUNTED_SUMS},
        sum(${first.type} = 'sent' and ${isOfWave}) as wave_sent,
        sum(${first.type} = 'bounced' and ${isOfWave}) as wave_bounced,
        sum(${first.type} = 'complained' and ${isOfWave}) as wave_complained,
        count(distinct iif(${isEnd}, ${first.email_id}, null)) as ended,
        count(distinct iif(${isEnd} and ${isOfWave}, ${first.email_id}, null)) as wave_ended
      from firsts join campaign_runs
        on ${run.teamId} = ${first.team_id} and ${run.campaignId} = ${first.campaign_id}
      group by ${run.teamId}, ${run.campaignId}
    ) as news
    where ${run.teamId} = news.team_id and ${run.campaignId} = news.campaign_id
    returning ${columnsAs({ teamId: run.teamId, campaignId: run.campaignId })},
      ${run.dueAt} <= ${now} and iif(${run.waveEndedAt} is null, ${run.open}, ${run.waveOpen}) = 0
        as waiting`)

const isEnd = sql`not ${first.ended} and ${first.rank} > ${STATUS_RANK.sent}`
const isOfWave = sql`${first.email_id} >= ${run.waveFrom}`

/** The last open email has ended: of the campaign, or of the wave. */
const isOver = sql`iif(${run.waveEndedAt} is null,
  news.ended > 0 and ${run.open} = news.ended and ${run.completedAt} is null,
  news.wave_ended > 0 and ${run.waveOpen} = news.wave_ended
) and exists (
  select 1 from campaigns k where ${k.teamId} = ${run.teamId} and ${k.id} = ${run.campaignId}
    and ${k.status} = iif(${run.waveEndedAt} is null, 'sent', 'sending'))`

interface Moved extends CampaignRef {
  waiting: 0 | 1
}

/** Messages for the campaigns that go on follow the commit. */
export const waking = <Q extends Query & { _: { result: Moved[] } }>(query: Q): Followed<Q> =>
  followed(query, (work, moved: readonly Moved[]) =>
    enqueueCampaigns(
      work,
      moved.filter(({ waiting }) => waiting).map((ref) => ({ ...ref, notBefore: work.now() })),
    ),
  )

/** Counts a recipient who unsubscribes through a campaign's link, if `condition` holds. */
export function countUnsubscribed(work: Work, { teamId, emailId }: EmailRef, condition: SQL) {
  const isFirst = sql`${e.teamId} = ${teamId} and ${e.id} = ${emailId}
    and not ${e.eventTypes} & ${UNSUBSCRIBED_BIT} and ${condition}`
  return [
    work.db
      .update(campaignRuns)
      .set({ unsubscribed: sql`${run.unsubscribed} + 1` })
      .where(
        sql`(${run.teamId}, ${run.campaignId}) in (
          select ${e.teamId}, ${e.campaignId} from emails e where ${isFirst})`,
      ),
    work.db.run(sql`
      update emails as e set ${assigned(emails, {
        eventTypes: sql`${e.eventTypes} | ${UNSUBSCRIBED_BIT}`,
      })} where ${isFirst}`),
  ] as const
}
