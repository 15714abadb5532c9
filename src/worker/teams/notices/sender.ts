import { and, asc, eq, inArray, sql } from "drizzle-orm"
import { domainAndParents, type Mailbox } from "../../../lib/address.ts"
import { domainClaims, domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, hasOthers, workIn } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { teamDatabases } from "../table.ts"

/** The sender of the service's mail for a team. Null without `SYSTEM_FROM` and without a verified domain. */
export async function senderOf(work: Work, teamIds: readonly string[]): Promise<Mailbox | null> {
  const { SYSTEM_FROM } = work.settings
  if (SYSTEM_FROM) return SYSTEM_FROM
  if (!hasOthers(work.env)) return ownSender(work, teamIds)
  const elsewhere = await work.directory
    .select({ database: teamDatabases.database })
    .from(teamDatabases)
    .where(isOneOf(teamDatabases.teamId, teamIds))
  for (const number of new Set([DIRECTORY, ...elsewhere.map(({ database }) => database)])) {
    const sender = await ownSender(workIn(work, number), teamIds)
    if (sender) return sender
  }
  return null
}

/** At the oldest verified domain of these teams, so the address stays the same when domains are added. */
export async function ownSender(work: Work, teamIds: readonly string[]): Promise<Mailbox | null> {
  const [domain] = await work.db
    .select({ name: domains.name })
    .from(domains)
    .where(and(isOneOf(domains.teamId, teamIds), eq(domains.status, "verified")))
    .orderBy(asc(domains.id))
    .limit(1)
  return domain ? { name: "Edgepost", address: `no-reply@${domain.name}` } : null
}

export interface Verifier {
  teamId: string
  database: number
}

/** The team that has verified the domain of an address, in whatever database. */
export async function verifierOf(
  { directory }: Work,
  { address }: Mailbox,
): Promise<Verifier | undefined> {
  const names = domainAndParents(address.split("@").at(-1) ?? "")
  const [here, elsewhere] = await directory.batch([
    directory
      .select({
        teamId: domains.teamId,
        name: domains.name,
        database: sql<number>`${DIRECTORY}`,
      })
      .from(domains)
      .where(and(inArray(domains.name, names), eq(domains.status, "verified"))),
    directory
      .select({
        teamId: domainClaims.teamId,
        name: domainClaims.name,
        database: domainClaims.database,
      })
      .from(domainClaims)
      .where(and(inArray(domainClaims.name, names), eq(domainClaims.status, "verified"))),
  ])
  const [longest] = [...here, ...elsewhere].sort((a, b) => b.name.length - a.name.length)
  return longest
}
