import { sql } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import { conflict } from "../http/errors.ts"
import { inRounds } from "../lib/rounds.ts"
import { DAY_MS } from "../lib/time.ts"
import { found, selectCampaign } from "./view.ts"

const ROUNDS = { rounds: 5, size: 50 }

/** Hides a campaign at once. Its emails are rendered from it: it is purged once they have gone. */
export async function deleteCampaign(ctx: Ctx, id: string): Promise<undefined> {
  const { team } = await ctx.caller()
  const [[row]] = await ctx.batch([
    selectCampaign(ctx, team.id, id),
    ctx.db.run(sql`update campaigns set deleted_at = ${ctx.now()},
        status = iif(status in ('draft', 'scheduled'), 'cancelled', status)
      where team_id = ${team.id} and id = ${id} and status <> 'sending' and deleted_at is null`),
  ])
  if (found(row).status === "sending") throw conflict("A campaign cannot be deleted while sending.")
  ctx.defer(purgeDeleted(ctx))
}

/** What never had an outcome keeps a campaign no longer than an email keeps its content. */
export const purgeDeleted = (work: Work) =>
  inRounds(ROUNDS, async (size) => {
    const longAgo = work.now() - work.settings.CONTENT_RETENTION_DAYS * DAY_MS
    const purged = await work.db.all<{ teamId: string; campaignId: string }>(sql`
      select k.team_id as teamId, k.id as campaignId from campaigns k
      cross join campaign_runs r on r.team_id = k.team_id and r.campaign_id = k.id
      where k.deleted_at is not null
        and (k.status <> 'sent' or r.completed_at is not null or k.deleted_at < ${longAgo})
      limit ${size}`)
    if (purged.length === 0) return 0
    const listed = sql`(select value ->> 'teamId', value ->> 'campaignId'
      from json_each(${JSON.stringify(purged)}))`
    const [bodies] = await work.db.batch([
      work.db.all<{ objectKey: string | null }>(sql`
        delete from campaign_bodies where (team_id, campaign_id) in ${listed}
        returning object_key as objectKey`),
      work.db.run(sql`delete from campaign_runs where (team_id, campaign_id) in ${listed}`),
      work.db.run(sql`delete from campaigns where (team_id, id) in ${listed}`),
    ])
    const keys = bodies.flatMap(({ objectKey }) => objectKey ?? [])
    if (keys.length > 0) await work.env.CONTENT.delete(keys)
    return purged.length
  })
