import { type Placeholder, type SQL, sql } from "drizzle-orm"
import { enqueueCampaigns } from "../campaigns/queue.ts"
import type { Query } from "../db/client.ts"
import { type Followed, followed } from "../db/commit.ts"
import { STATUS_RANK } from "../emails/contract.ts"
import type { Work } from "../env.ts"
import type { CampaignRef, EmailRef } from "../queues/messages.ts"
import { addCounted, COUNTED_SUMS, firstsOf, UNSUBSCRIBED_BIT } from "../stats/counters.ts"

/**
 * Adds the new events in `fresh` to the counts of their campaigns, in the batch that records them.
 * Answers with these campaigns. `waiting` is 1 where the last open email has ended: the campaign
 * goes on now.
 */
export const countCampaigns = ({ db }: Pick<Work, "db">, fresh: SQL, now: Placeholder) =>
  db.all<Moved>(sql`
    update campaign_runs set ${addCounted("campaign_runs", "news")}, ${addedToWave},
      open = open - news.ended, wave_open = wave_open - news.wave_ended,
      due_at = iif(${isOver}, ${now}, due_at)
    from (
      with ${firstsOf(fresh)}
      select team_id, campaign_id, ${COUNTED_SUMS}, ${WAVE_SUMS},
        count(distinct iif(${isEnd}, email_id, null)) as ended,
        count(distinct iif(${isEnd} and email_id >= wave_from, email_id, null)) as wave_ended
      from firsts join campaign_runs using (team_id, campaign_id) group by team_id, campaign_id
    ) as news
    where campaign_runs.team_id = news.team_id and campaign_runs.campaign_id = news.campaign_id
    returning team_id as teamId, campaign_id as campaignId,
      due_at <= ${now} and iif(wave_ended_at is null, open, wave_open) = 0 as waiting`)

const isEnd = sql`not ended and rank > ${STATUS_RANK.sent}`

/** The counts of a wave that the brake reads. */
const JUDGED = ["sent", "bounced", "complained"] as const
const listed = (part: (type: string) => string) => sql.raw(JUDGED.map(part).join(", "))

const WAVE_SUMS = listed(
  (type) => `sum(type = '${type}' and email_id >= wave_from) as wave_${type}`,
)
const addedToWave = listed(
  (type) => `wave_${type} = campaign_runs.wave_${type} + news.wave_${type}`,
)

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

/** The last open email has ended: of the campaign, or of the wave. */
const isOver = sql`iif(wave_ended_at is null,
  news.ended > 0 and open = news.ended and completed_at is null,
  news.wave_ended > 0 and wave_open = news.wave_ended
) and exists (
  select 1 from campaigns k where k.team_id = campaign_runs.team_id and k.id = campaign_runs.campaign_id
    and k.status = iif(wave_ended_at is null, 'sent', 'sending'))`

/** Counts a recipient who unsubscribes through a campaign's link, if `condition` holds. */
export function countUnsubscribed(work: Work, { teamId, emailId }: EmailRef, condition: SQL) {
  const isFirst = sql`e.team_id = ${teamId} and e.id = ${emailId}
    and not e.event_types & ${UNSUBSCRIBED_BIT} and ${condition}`
  return [
    work.db.run(sql`
      update campaign_runs set unsubscribed = unsubscribed + 1
      where (team_id, campaign_id) in (select e.team_id, e.campaign_id from emails e where ${isFirst})`),
    work.db.run(sql`
      update emails as e set event_types = event_types | ${UNSUBSCRIBED_BIT} where ${isFirst}`),
  ] as const
}
