import { and, eq, sql } from "drizzle-orm"
import { inRounds } from "../../lib/rounds.ts"
import { HOUR_MS, MINUTE_MS } from "../../lib/time.ts"
import type { Work } from "../platform/context.ts"
import { excluded, insertInto } from "../platform/db/columns.ts"
import { DIRECTORY, databaseNumber } from "../platform/db/databases.ts"
import { isOneOf, jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { isClaim, mayVerify } from "./competing-claims.ts"
import { isProof } from "./proof.ts"
import { type DomainRow, domainClaims, domains } from "./table.ts"

type Claimed = Pick<DomainRow, "teamId" | "id" | "name" | "status">

const isElsewhere = ({ env }: Work) => databaseNumber(env) !== DIRECTORY

/**
 * Reserves a name in the directory before the team's own database calls it verified. True if the
 * team has the name, also from an earlier call. Teams of the directory need no reservation.
 */
export async function reserveName(work: Work, row: DomainRow): Promise<boolean> {
  if (!isElsewhere(work)) return true
  const { directory } = work
  const claim = { name: row.name, teamId: row.teamId, domainId: row.id, status: "verified" }
  const reserved = await directory.all(sql`
    ${insertInto(
      domainClaims,
      { ...claim, database: databaseNumber(work.env) },
      sql`where ${mayVerify(row, row.records.some(isProof))}`,
    )}
    on conflict (name, team_id) do update set status = 'verified', domain_id = ${row.id}
    returning name`)
  return reserved.length > 0
}

/** Stores the state of these domains in the directory. Repeating it is harmless. */
export async function storeClaims(work: Work, rows: readonly Claimed[]): Promise<void> {
  if (!isElsewhere(work) || rows.length === 0) return
  const { directory } = work
  const x = jsonFields<Claimed>()
  const database = databaseNumber(work.env)
  await directory.batch([
    directory.run(sql`
      ${insertInto(
        domainClaims,
        { name: x.name, teamId: x.teamId, domainId: x.id, database, status: x.status },
        sql`from ${jsonRows(rows)} where ${x.status} in ('pending', 'verified')`,
      )}
      on conflict (name, team_id) do update set
        status = ${excluded(domainClaims.status)}, domain_id = ${excluded(domainClaims.domainId)}`),
    directory.run(sql`delete from ${domainClaims} where (team_id, domain_id) in (
      select ${x.teamId}, ${x.id} from ${jsonRows(rows)}
      where ${x.status} not in ('pending', 'verified'))`),
  ])
}

export async function deleteClaim(work: Work, { teamId, id }: Claimed): Promise<void> {
  if (!isElsewhere(work)) return
  await work.directory
    .delete(domainClaims)
    .where(and(eq(domainClaims.teamId, teamId), eq(domainClaims.domainId, id)))
}

const ROUNDS = { size: 200 }

/** Once an hour: mends the claims of this database where a process ended between two databases. */
export async function sweepClaims(work: Work): Promise<void> {
  if (!isElsewhere(work) || work.now() % HOUR_MS >= MINUTE_MS) return
  const number = databaseNumber(work.env)
  await inRounds(ROUNDS, async (size, last?: Claimed) => {
    const rows = await work.db
      .select()
      .from(domains)
      .where(
        and(
          isClaim,
          sql`(${domains.teamId}, ${domains.id}) > (${last?.teamId ?? ""}, ${last?.id ?? ""})`,
        ),
      )
      .orderBy(domains.teamId, domains.id)
      .limit(size)
    await storeClaims(work, rows)
    return rows
  })
  const claims = await work.directory
    .select({ id: domainClaims.domainId })
    .from(domainClaims)
    .where(eq(domainClaims.database, number))
  const ids = claims.map(({ id }) => id)
  const kept = await work.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(isClaim, isOneOf(domains.id, ids)))
  const isKept = new Set(kept.map(({ id }) => id))
  const gone = ids.filter((id) => !isKept.has(id))
  if (gone.length > 0) {
    await work.directory
      .delete(domainClaims)
      .where(and(eq(domainClaims.database, number), isOneOf(domainClaims.domainId, gone)))
  }
}
