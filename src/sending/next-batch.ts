import { type SQL, sql } from "drizzle-orm"
import { campaignBatches } from "../campaigns/table.ts"
import type { Query } from "../db/client.ts"
import type { Work } from "../env.ts"
import { p } from "./claim-places.ts"
import { providerSlots } from "./table.ts"

/** Selects the campaign batch after the one that was served last, across all campaigns. */
export function nextBatch(): SQL {
  const last = (part: number) => sql`(
    select coalesce(max(${providerSlots.lastBatch} ->> ${sql.raw(String(part))}), '')
    from ${providerSlots} where ${providerSlots.provider} = ${p.provider})`
  const first = sql`order by team_id, campaign_id, id limit 1`
  return sql`
    select * from (
      select * from (select 0 as wrapped, * from campaign_pages
        where (team_id, campaign_id) > (${last(0)}, ${last(1)}) ${first})
      union all
      select * from (select 1 as wrapped, * from campaign_pages ${first})
    ) order by wrapped limit 1`
}

/**
 * Takes the emails of a claim out of their batch: their leases keep track of them from now on.
 * `isClaim` finds the claim's row of the provider.
 */
export const takeFromBatch = ({ db }: Pick<Work, "db">, isClaim: SQL): [Query, Query] => {
  const left = sql`from json_each(${campaignBatches.emails}) where value not in (
    select x.value ->> 1 from ${providerSlots}, json_each(${providerSlots.chosen}) x
    where ${isClaim})`
  const part = (index: number) => sql`${providerSlots.lastBatch} ->> ${sql.raw(String(index))}`
  const isBatch = sql`(${campaignBatches.teamId}, ${campaignBatches.campaignId}, ${campaignBatches.id}) in (
    select ${part(0)}, ${part(1)}, ${part(2)} from ${providerSlots} where ${isClaim})`
  return [
    db.delete(campaignBatches).where(sql`${isBatch} and not exists (select 1 ${left})`),
    db
      .update(campaignBatches)
      .set({ emails: sql`(select json_group_array(value) ${left})` })
      .where(isBatch),
  ]
}
