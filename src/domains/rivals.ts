import { type SQL, sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { domainAndParents } from "../lib/address.ts"
import type { DomainRow } from "./table.ts"

type Claim = Pick<DomainRow, "teamId" | "name">

/** What other teams have of a name. */
export interface Rivals {
  /** Another team has it verified. */
  isLost: boolean
  /** Another team waits for it too. */
  isContested: boolean
  /** Another team has a parent of it verified. */
  isBelow: boolean
}

/** One query for all claims, whose order the answers keep. */
export async function readRivals(work: Work, claims: readonly Claim[]): Promise<Rivals[]> {
  const asked = claims.map(({ teamId, name }) => {
    const [, ...parents] = domainAndParents(name)
    return { teamId, name, parents }
  })
  const rows = await work.db.all<Record<keyof Rivals, 0 | 1>>(sql`
    select
      exists (select 1 from domains d where d.name = x.value ->> 'name'
        and d.team_id <> x.value ->> 'teamId' and d.status = 'verified') as isLost,
      exists (select 1 from domains d where d.name = x.value ->> 'name'
        and d.team_id <> x.value ->> 'teamId' and d.status in ('pending', 'verified')) as isContested,
      exists (select 1 from json_each(x.value, '$.parents') parent
        cross join domains d on d.name = parent.value and d.status = 'verified'
        where d.team_id <> x.value ->> 'teamId') as isBelow
    from json_each(${JSON.stringify(asked)}) x order by x.key`)
  return rows.map(({ isLost, isContested, isBelow }) => ({
    isLost: isLost === 1,
    isContested: isContested === 1,
    isBelow: isBelow === 1,
  }))
}

/** A condition: the team may not enter the name, nor revive a failed row for it. */
export const isTaken = ({ teamId, name }: Claim): SQL => sql`
  exists (select 1 from domains other
    where other.name = ${name} and other.status in ('pending', 'verified')
      and (other.status = 'verified' or other.team_id = ${teamId}))`

/**
 * A condition: no other team has verified the name or, without a proof of this team's own, one of
 * its parents.
 */
export const mayVerify = ({ teamId, name }: Claim, hasProof: boolean): SQL => sql`
  not exists (select 1 from domains other
    where other.status = 'verified' and other.team_id <> ${teamId} and other.name in (
      select value from json_each(${JSON.stringify(hasProof ? [name] : domainAndParents(name))})))`
