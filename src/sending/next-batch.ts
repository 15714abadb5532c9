import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../env.ts"

/** The page of the campaign that is next after the one that was served last. */
export function nextPage(provider: string): SQL {
  const last = (part: number) => sql`(
    select coalesce(max(page ->> ${sql.raw(String(part))}), '') from provider_turns
    where provider = ${provider})`
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
 * Takes from its page the emails that a claim has: from now on their leases tell of them. `ofClaim`
 * finds the claim `t` in the provider's row.
 */
export const takeFromPage = (work: Work, ofClaim: SQL) => {
  const left = sql`from json_each(campaign_pages.emails) where value not in (
    select x.value ->> 1 from provider_turns t, json_each(t.chosen) x where ${ofClaim})`
  const isPage = sql`(team_id, campaign_id, id) in (
    select t.page ->> 0, t.page ->> 1, t.page ->> 2 from provider_turns t where ${ofClaim})`
  return [
    work.db.run(sql`delete from campaign_pages where ${isPage} and not exists (select 1 ${left})`),
    work.db.run(sql`update campaign_pages set emails = (select json_group_array(value) ${left})
      where ${isPage}`),
  ] as const
}
