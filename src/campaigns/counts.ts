import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { STATUS_RANK } from "../emails/contract.ts"
import { addCounted, COUNTED_SUMS, firstsOf } from "../emails/counters.ts"
import type { Work } from "../env.ts"
import { enqueueCampaigns } from "./queue.ts"
import type { CampaignRef } from "./view.ts"

/**
 * Campaigns' counts move in the batch that records their emails' events, of which `fresh` holds
 * those that are news. The statement answers with the campaigns it moved; `waiting` are those whose
 * last open email has ended and which go on now.
 */
export const countCampaigns = (work: Work, fresh: SQL) =>
  moveRuns(
    work,
    sql`with ${firstsOf(fresh)}
      select team_id, campaign_id, ${COUNTED_SUMS}, count(distinct
        iif(not ended and rank >= ${STATUS_RANK.delivered}, email_id, null)) as ended
      from firsts group by team_id, campaign_id`,
    sql`${addCounted("campaign_runs", "news")},`,
  )

/** The same for emails that end without an outcome: `emails` selects `team_id, campaign_id`. */
export const countEnded = (work: Work, emails: SQL) =>
  moveRuns(
    work,
    sql`select team_id, campaign_id, count(*) as ended from (${emails})
      where campaign_id is not null group by team_id, campaign_id`,
  )

interface Moved extends CampaignRef {
  waiting: 0 | 1
}

/** After the commit. */
export const wakeCampaigns = (work: Work, moved: readonly Moved[]): Promise<void> =>
  enqueueCampaigns(
    work,
    moved.filter(({ waiting }) => waiting).map((ref) => ({ ...ref, notBefore: work.now() })),
  )

const moveRuns = (work: Work, news: SQL, added = sql``) =>
  work.db.all<Moved>(sql`
    update campaign_runs set ${added} open = open - news.ended,
      due_at = iif(open = news.ended and news.ended > 0 and ${isWaiting}, ${work.now()}, due_at)
    from (${news}) as news
    where campaign_runs.team_id = news.team_id and campaign_runs.campaign_id = news.campaign_id
    returning team_id as teamId, campaign_id as campaignId,
      open = 0 and due_at <= ${work.now()} as waiting`)

/** A campaign that waits for its emails' outcomes: all are queued, or those of a wave. */
const isWaiting = sql`completed_at is null and exists (
  select 1 from campaigns k where k.team_id = campaign_runs.team_id and k.id = campaign_runs.campaign_id
    and (k.status = 'sent' or k.status = 'sending' and wave_ended_at is not null))`

/** One more recipient has unsubscribed through the campaign's link, if `condition` holds. */
export const countUnsubscribed = (work: Work, ref: CampaignRef, condition: SQL): Query =>
  work.db.run(sql`
    update campaign_runs set unsubscribed = unsubscribed + 1
    where team_id = ${ref.teamId} and campaign_id = ${ref.campaignId} and ${condition}`)
