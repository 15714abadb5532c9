import { type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { domainAndParents } from "../../lib/address.ts"
import type { Work } from "../platform/context.ts"
import { isOneOf, jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { type DomainRow, domains } from "./table.ts"

type Claim = Pick<DomainRow, "teamId" | "name">

/** A pending or verified domain: a failed one claims nothing. */
export const isClaim = sql`${domains.status} in ('pending', 'verified')`

const other = alias(domains, "other")

export interface CompetingClaims {
  /** Another team has verified the name. */
  isLost: boolean
  /** Another team claims the name, too. */
  isContested: boolean
  /** Another team has verified a parent of the name. */
  isBelow: boolean
}

/** The competing claims of each claim, in the order of the claims; one query. */
export async function readCompetingClaims(
  work: Work,
  claims: readonly Claim[],
): Promise<CompetingClaims[]> {
  const asked = claims.map(({ teamId, name }) => {
    const [, ...parents] = domainAndParents(name)
    return { teamId, name, parents }
  })
  const claim = jsonFields<(typeof asked)[number]>()
  const isOther = sql`${domains.teamId} <> ${claim.teamId}`
  const rows = await work.db.all<Record<keyof CompetingClaims, 0 | 1>>(sql`
    select
      exists (select 1 from ${domains} where ${domains.name} = ${claim.name} and ${isOther}
        and ${domains.status} = 'verified') as isLost,
      exists (select 1 from ${domains} where ${domains.name} = ${claim.name} and ${isOther}
        and ${isClaim}) as isContested,
      exists (select 1 from json_each(${claim.parents}) parent
        cross join ${domains} on ${domains.name} = parent.value and ${domains.status} = 'verified'
        where ${isOther}) as isBelow
    from ${jsonRows(asked)} order by x.key`)
  return rows.map(({ isLost, isContested, isBelow }) => ({
    isLost: isLost === 1,
    isContested: isContested === 1,
    isBelow: isBelow === 1,
  }))
}

/** A condition: the team may neither add the name nor revive its failed domain. */
export const isTaken = ({ teamId, name }: Claim): SQL => sql`
  exists (select 1 from ${domains} ${other}
    where ${other.name} = ${name} and ${other.status} in ('pending', 'verified')
      and (${other.status} = 'verified' or ${other.teamId} = ${teamId}))`

/**
 * A condition: no other team has verified the name. Without a proof of its own, the team also
 * loses to another team that has verified a parent of the name.
 */
export const mayVerify = ({ teamId, name }: Claim, hasProof: boolean): SQL => sql`
  not exists (select 1 from ${domains} ${other}
    where ${other.status} = 'verified' and ${other.teamId} <> ${teamId}
      and ${isOneOf(other.name, hasProof ? [name] : domainAndParents(name))})`
