import { type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { CAMPAIGN_COUNTS, campaign as campaignShape } from "../campaigns/contract.ts"
import { type CampaignWithRun, toCampaign } from "../campaigns/view.ts"
import type { Work } from "../env.ts"
import { enqueueDeliveries } from "../events/queue.ts"
import { storeEventsFrom } from "../events/store.ts"
import { newId } from "../lib/id.ts"

/** The book has nobody left: every recipient is queued. */
export async function endFanOut(work: Work, row: CampaignWithRun): Promise<void> {
  const stillSo = sql`k.status = 'sending' and r.cursor is ${row.cursor} and r.paused_reason is null`
  const now = work.now()
  const [, deliveries] = await work.db.batch([
    ...tell(work, "campaign.sent", { ...row, status: "sent", sentAt: now }, stillSo),
    work.db.run(sql`update campaign_runs as r set due_at = iif(open = 0, ${now}, null), wave_ended_at = null
      where ${isRunOf(row)} and exists (select 1 from campaigns k where ${isOf(row)} and ${stillSo})`),
    work.db.run(sql`update campaigns as k set status = 'sent', sent_at = ${now}
      where ${isOf(row)} and exists (select 1 from campaign_runs r where ${isRunOf(row)} and ${stillSo})`),
  ])
  await enqueueDeliveries(work, deliveries)
}

/** Every email has come to its end: the tally that is told is the one that the batch finds. */
export async function completeCampaign(work: Work, row: CampaignWithRun): Promise<void> {
  const stillSo = sql`k.status = 'sent' and r.open = 0 and r.completed_at is null`
  const [, deliveries] = await work.db.batch([
    ...tell(work, "campaign.completed", row, stillSo),
    work.db.run(sql`update campaign_runs as r set completed_at = ${work.now()}, due_at = null
      where ${isRunOf(row)} and exists (select 1 from campaigns k where ${isOf(row)} and ${stillSo})`),
  ])
  await enqueueDeliveries(work, deliveries)
}

const isOf = ({ teamId, id }: CampaignWithRun) => sql`k.team_id = ${teamId} and k.id = ${id}`
const isRunOf = ({ teamId, id }: CampaignWithRun) =>
  sql`r.team_id = ${teamId} and r.campaign_id = ${id}`

function tell(
  work: Work,
  type: "campaign.sent" | "campaign.completed",
  row: CampaignWithRun,
  condition: SQL,
) {
  const campaign = z.encode(campaignShape, toCampaign(row))
  const counts = sql.raw(CAMPAIGN_COUNTS.map((name) => `'${name}', r.${name}`).join(", "))
  return storeEventsFrom(
    work,
    [row.teamId],
    sql`select k.team_id, ${newId("event", work.now())} as id, ${type} as type,
      ${work.now()} as created_at,
      json_set(${JSON.stringify({ campaign })}, '$.campaign.counts', json_object(${counts})) as data,
      null as webhook_id, 0 as position
    from campaigns k cross join campaign_runs r on ${isRunOf(row)}
    where ${isOf(row)} and ${condition}`,
  )
}
