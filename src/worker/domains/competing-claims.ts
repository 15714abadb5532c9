import { and, eq, ne, type SQL, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { domainAndParents } from "../../lib/address.ts"
import type { Work } from "../platform/context.ts"
import { isOneOf, jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { type DomainRow, domainClaims, domains } from "./table.ts"

type Claim = Pick<DomainRow, "teamId" | "name">

/** A pending or verified domain: a failed one claims nothing. */
export const isClaim = sql`${domains.status} in ('pending', 'verified')`

/** In the directory: its own domains, and the claims of the other databases. */
const CLAIMS = sql`(
  select ${domains.name} as name, ${domains.teamId} as team_id, ${domains.status} as status
  from ${domains} where ${isClaim}
  union all
  select ${domainClaims.name}, ${domainClaims.teamId}, ${domainClaims.status} from ${domainClaims})`

const other = alias(domains, "other")
const elsewhere = alias(domainClaims, "elsewhere")

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
  const rows = await work.directory.all<Record<keyof CompetingClaims, 0 | 1>>(sql`
    select
      exists (select 1 from ${CLAIMS} where name = ${claim.name} and team_id <> ${claim.teamId}
        and status = 'verified') as isLost,
      exists (select 1 from ${CLAIMS} where name = ${claim.name} and team_id <> ${claim.teamId})
        as isContested,
      exists (select 1 from json_each(${claim.parents}) parent
        cross join ${CLAIMS} on name = parent.value and status = 'verified'
        where team_id <> ${claim.teamId}) as isBelow
    from ${jsonRows(asked)} order by x.key`)
  return rows.map(({ isLost, isContested, isBelow }) => ({
    isLost: isLost === 1,
    isContested: isContested === 1,
    isBelow: isBelow === 1,
  }))
}

/** Whether another row claims the name, too: of the team, or of another one in any database. */
export async function isClaimedByOthers(
  work: Work,
  { teamId, id, name }: Pick<DomainRow, "teamId" | "id" | "name">,
): Promise<boolean> {
  const [competing] = await readCompetingClaims(work, [{ teamId, name }])
  if (competing?.isContested) return true
  const own = await work.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.teamId, teamId), eq(domains.name, name), ne(domains.id, id), isClaim))
  return own.length > 0
}

/** A condition: the team may neither add the name nor revive its failed domain. */
export const isTaken = ({ teamId, name }: Claim): SQL => sql`(
  exists (select 1 from ${domains} ${other}
    where ${other.name} = ${name} and ${other.status} in ('pending', 'verified')
      and (${other.status} = 'verified' or ${other.teamId} = ${teamId}))
  or exists (select 1 from ${domainClaims} ${elsewhere}
    where ${elsewhere.name} = ${name} and ${elsewhere.status} = 'verified'
      and ${elsewhere.teamId} <> ${teamId}))`

/**
 * A condition: no other team has verified the name. Without a proof of its own, the team also
 * loses to another team that has verified a parent of the name.
 */
export const mayVerify = ({ teamId, name }: Claim, hasProof: boolean): SQL => sql`(
  not exists (select 1 from ${domains} ${other}
    where ${other.status} = 'verified' and ${other.teamId} <> ${teamId}
      and ${isOneOf(other.name, namesOf(name, hasProof))})
  and not exists (select 1 from ${domainClaims} ${elsewhere}
    where ${elsewhere.status} = 'verified' and ${elsewhere.teamId} <> ${teamId}
      and ${isOneOf(elsewhere.name, namesOf(name, hasProof))}))`

const namesOf = (name: string, hasProof: boolean) => (hasProof ? [name] : domainAndParents(name))
