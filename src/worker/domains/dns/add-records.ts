import type { Ctx } from "../../platform/context.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import { type CompetingClaims, readCompetingClaims } from "../competing-claims.ts"
import { getDomain, publishRecords } from "../domains.ts"
import { isInAccount } from "./auto-dns.ts"

/** Adds what is missing in the zone of a domain that came to the account after it was added here. */
export async function addDnsRecords(ctx: Ctx, id: string) {
  const domain = await getDomain(ctx, id)
  if (!(await isInAccount(ctx.settings, domain.name))) return { isInAccount: false, added: 0 }
  const [competing] = await readCompetingClaims(ctx, [domain])
  const audit = [await auditEntry(ctx, "domains.addRecords", { id })]
  const claims = competing as CompetingClaims
  const { writtenRecords } = await publishRecords(ctx, domain, claims, audit)
  return { isInAccount: true, added: writtenRecords.length - domain.writtenRecords.length }
}
