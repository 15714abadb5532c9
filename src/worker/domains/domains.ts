import { sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import type { Ctx, Work } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit, type Statement } from "../platform/db/commit.ts"
import { ApiError, conflict, orNotFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { withStatus } from "../platform/http/route.ts"
import { inboxes } from "../received/table.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import { deleteClaim, storeClaims } from "./claims.ts"
import { type CompetingClaims, isTaken, readCompetingClaims } from "./competing-claims.ts"
import type { Domain } from "./contract.ts"
import { keepWritten, removeDnsRecords, writeDnsRecords } from "./dns/auto-dns.ts"
import { createIdentity, removeIdentity } from "./identity.ts"
import { isDomain } from "./own-domain.ts"
import { isProof } from "./proof.ts"
import { type DomainRow, domains } from "./table.ts"
import { freshWindow } from "./transition.ts"

/** Adds a pending domain with the records that prove it. The sweep checks it within a minute. */
export async function createDomain(ctx: Ctx, { name }: { name: string }): Promise<Domain> {
  const { team } = await ctx.caller()
  const competing = await refuseTaken(ctx, { teamId: team.id, name })
  const now = ctx.now()
  const id = newId("domain", now)
  const { records, ...identity } = await createIdentity(ctx, { id, name }, competing)
  await storeClaims(ctx, [{ teamId: team.id, id, name, status: "pending" }])
  const { created } = await commit(ctx, {
    created: ctx.db.run(
      insertInto(
        domains,
        {
          teamId: team.id,
          id,
          name,
          ...freshWindow(now),
          ...identity,
          records: JSON.stringify(records),
          createdAt: now,
        },
        sql`where not ${isTaken({ teamId: team.id, name })}`,
      ),
    ),
    audit: await auditEntry(ctx, "domains.create", { id, label: name }),
  })
  if (created.meta.changes === 0) {
    await deleteClaim(ctx, { teamId: team.id, id, name, status: "failed" })
    throw domainTaken(name)
  }
  return publishRecords(ctx, await getDomain(ctx, id), competing)
}

export const listDomains = (ctx: Ctx, query: PageQuery): Promise<Page<Domain>> =>
  listRecords(ctx, domains, "domain", query)

export async function getDomain(ctx: Ctx, id: string): Promise<DomainRow> {
  const [[row]] = await ctx.batch([ctx.db.select().from(domains).where(isDomain(ctx, id))])
  return orNotFound(row, "Domain")
}

export async function deleteDomain(ctx: Ctx, id: string) {
  const domain = await getDomain(ctx, id)
  const [used] = await ctx.db.all(selectInboxes(domain))
  if (used) throw conflict("The domain has inboxes. Delete them first.")
  const leftoverOfRouting = domain.routing ? await leaveRouting(ctx, domain) : 0
  await removeIdentity(ctx, domain)
  const leftoverDnsRecords = leftoverOfRouting + (await removeDnsRecords(ctx, domain))
  await commit(ctx, {
    deleted: ctx.db.delete(domains).where(isDomain(ctx, id)),
    audit: await auditEntry(ctx, "domains.delete", { id }),
  })
  await deleteClaim(ctx, domain)
  return leftoverDnsRecords > 0 ? withStatus(200, { leftoverDnsRecords }) : undefined
}

/** Answers how many records stay: nobody can take them out without the token. */
async function leaveRouting(ctx: Ctx, domain: DomainRow): Promise<number> {
  const { stopRouting } = await import("./routing/check.ts")
  const { RoutingFault } = await import("../providers/cloudflare/email-routing.ts")
  try {
    await stopRouting(ctx, domain)
    return 0
  } catch (error) {
    if (!(error instanceof RoutingFault)) throw error
    if (error.mayPass) throw new ApiError("unavailable", `${error.message} Try again.`)
    return domain.receiving.records.length
  }
}

const selectInboxes = ({ teamId, id }: DomainRow) => sql`
  select 1 from ${inboxes} where ${inboxes.teamId} = ${teamId} and ${inboxes.domainId} = ${id}
    and ${inboxes.deletedAt} is null limit 1`

export const domainTaken = (name: string) => conflict(`The domain '${name}' is taken.`)

/** The claims of other teams to a name. Refuses a name that the team may not add. */
export async function refuseTaken(
  ctx: Ctx,
  claim: Pick<DomainRow, "teamId" | "name">,
): Promise<CompetingClaims> {
  const select = sql`select ${isTaken(claim)} as taken`
  const sources = ctx.people === ctx ? [ctx.db] : [ctx.db, ctx.directory]
  for (const db of sources) {
    const [name] = await db.all<{ taken: 0 | 1 }>(select)
    if (name?.taken) throw domainTaken(claim.name)
  }
  const [competing] = await readCompetingClaims(ctx, [claim])
  return competing as CompetingClaims
}

/**
 * Writes the records into DNS if the zone is in the installation's account. The service does not
 * write the proof of a name that another team claims, too: its owner has to.
 */
export async function publishRecords(
  work: Work,
  domain: DomainRow,
  { isBelow, isContested }: CompetingClaims,
  audit?: Statement[],
): Promise<DomainRow> {
  const records = domain.records.filter((record) => !isProof(record) || !(isBelow || isContested))
  const written = await writeDnsRecords(work.settings, domain.name, records)
  if (!written) return domain
  return (await keepWritten(work, domain, written, audit)) ?? domain
}
