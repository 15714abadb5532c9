import { sha256Hex } from "../../lib/crypto.ts"
import { resolve } from "../../lib/dns.ts"
import type { Work } from "../platform/context.ts"
import type { Settings } from "../platform/env.ts"
import { createProviders } from "../providers/create-provider.ts"
import type { IdentityCheck } from "../providers/provider.ts"
import type { CompetingClaims } from "./competing-claims.ts"
import type { DnsRecord } from "./contract.ts"
import type { DomainRow } from "./table.ts"

/** The row's own TXT record. It tells which of several teams owns the domain. */
export const proofRecord = ({ id, name }: Pick<DomainRow, "id" | "name">): DnsRecord => ({
  kind: "PROOF",
  type: "TXT",
  name: `_edgepost.${name}`,
  value: `edgepost-proof=${sha256Hex(`proof ${id}`).slice(0, 32)}`,
  priority: null,
  ok: false,
})

export const isProof = ({ kind }: DnsRecord) => kind === "PROOF"

/** A provider knows one account, not our teams: it cannot say which of two teams owns a domain. */
export function needsProof(work: Work, { isBelow, isContested }: CompetingClaims): boolean {
  const isSimulated = createProviders(work).every(({ identities }) => identities?.simulated)
  return isBelow || (isContested && !isSimulated) || sendsFromAnyDomain(work)
}

/** Whether a provider in use accepts mail from any domain. */
export const sendsFromAnyDomain = (work: Work) =>
  createProviders(work).some(({ identities }) => !identities)

export async function checkProof(
  settings: Settings,
  { name, value }: DnsRecord,
): Promise<IdentityCheck> {
  const found = await resolve(settings, name, "TXT")
  if (!found.ok) return { state: "unknown", reason: found.reason }
  if (found.answers.some((answer) => answer.trim() === value)) return { state: "verified" }
  return { state: "pending", reason: `DNS does not show the TXT record at ${name}.` }
}
