import { and, asc, desc, eq, inArray, sql } from "drizzle-orm"
import { domainAndParents, type Mailbox } from "../../../lib/address.ts"
import { domains } from "../../domains/table.ts"
import type { Work } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"

/** The sender of the service's mail for a team. Null without `SYSTEM_FROM` and without a verified domain. */
export const senderOf = async (work: Work, teamIds: readonly string[]): Promise<Mailbox | null> =>
  work.settings.SYSTEM_FROM ?? ownSender(work, teamIds)

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

/** The team that has verified the domain of an address. */
export async function verifierOf(work: Work, { address }: Mailbox): Promise<string | undefined> {
  const host = address.split("@").at(-1) ?? ""
  const [domain] = await work.db
    .select({ teamId: domains.teamId })
    .from(domains)
    .where(and(inArray(domains.name, domainAndParents(host)), eq(domains.status, "verified")))
    .orderBy(desc(sql`length(${domains.name})`))
    .limit(1)
  return domain?.teamId
}
