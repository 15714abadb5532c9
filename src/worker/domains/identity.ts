import { lookUpRecords } from "../../lib/dns-records.ts"
import { logError } from "../../lib/log.ts"
import type { Work } from "../platform/context.ts"
import { ApiError } from "../platform/http/errors.ts"
import {
  createIdentities,
  createNextProviders,
  createProvider,
  createProviders,
} from "../providers/create-provider.ts"
import type { IdentityCheck } from "../providers/provider.ts"
import { type CompetingClaims, isClaimedByOthers } from "./competing-claims.ts"
import type { DnsRecord } from "./contract.ts"
import { dmarcRecord } from "./dns/dmarc.ts"
import { checkProof, isProof, needsProof, proofRecord, sendsFromAnyDomain } from "./proof.ts"
import type { DomainRow } from "./table.ts"

/** Adds a domain at every provider in use; answers what its row has of it. */
export async function createIdentity(
  work: Work,
  row: Pick<DomainRow, "id" | "name">,
  competing: CompetingClaims,
): Promise<Pick<DomainRow, "provider" | "region" | "records">> {
  const provider = createProvider(work)
  const records = needsProof(work, competing) ? [proofRecord(row)] : []
  const identities = createIdentities(work)
  for (const one of identities) {
    const wanted = await one.create(row.name)
    records.push(...wanted.map((record) => ({ ...record, ok: false })))
  }
  const isSimulated = identities.every(({ simulated }) => simulated)
  if (!isSimulated && !records.some(({ kind }) => kind === "DMARC")) {
    records.push(await dmarcRecord(work.settings, row.name))
  }
  return { provider: provider.name, region: provider.identities?.region ?? null, records }
}

/** Whether the domain was added at an earlier provider only. */
export const isOfEarlierProvider = (work: Work, row: DomainRow) =>
  ![row.provider, row.nextProvider].includes(createProvider(work).name)

/** What a domain shows of a call to its provider that failed. */
export function reasonOf(error: unknown, { id }: Pick<DomainRow, "id">): string {
  if (error instanceof ApiError) return error.message
  logError(error, { domain: id })
  return "The provider did not answer."
}

interface CheckedIdentity {
  check: IdentityCheck
  records: DnsRecord[]
}

/** A domain is verified when all providers and its own proof say so. */
export async function checkIdentity(
  work: Work,
  row: DomainRow,
  competing: CompetingClaims,
): Promise<CheckedIdentity> {
  if (competing.isLost) {
    const reason = "Another team has verified this domain."
    return { check: { state: "failed", reason }, records: row.records }
  }
  const identities = createIdentities(work)
  const others = row.records.filter((record) => !isProof(record))
  const [proof, ...checks] = await Promise.all([
    checkOwnProof(work, row, competing),
    ...identities.map((one) => one.check(row.name)),
  ])
  const unverified = firstUnverified(checks)
  const records = identities.every(({ simulated }) => simulated)
    ? others.map((record) => ({ ...record, ok: !unverified }))
    : await lookUpRecords(work.settings, others)
  return {
    check: unverified ?? proof?.check ?? { state: "verified" },
    records: [...(proof?.records ?? []), ...records],
  }
}

/** A provider that does not have the domain comes first. */
export const firstUnverified = (checks: readonly IdentityCheck[]) =>
  checks.find(isMissing) ?? checks.find(({ state }) => state !== "verified")

export const isMissing = (check: IdentityCheck): boolean =>
  check.state !== "verified" && check.isMissing === true

/** Null if the domain needs no proof. A later claim does not make a verified domain need one. */
async function checkOwnProof(
  work: Work,
  row: DomainRow,
  competing: CompetingClaims,
): Promise<CheckedIdentity | null> {
  const shown = row.records.find(isProof)
  const isNeeded =
    row.status === "verified" ? sendsFromAnyDomain(work) : needsProof(work, competing)
  if (!shown && !isNeeded) return null
  const record = shown ?? proofRecord(row)
  const check = await checkProof(work.settings, record)
  const ok = check.state === "unknown" ? record.ok : check.state === "verified"
  return { check, records: [{ ...record, ok }] }
}

/** Removes a domain from the providers, unless another row claims the name, too. */
export async function removeIdentity(
  work: Work,
  row: Pick<DomainRow, "teamId" | "id" | "name">,
): Promise<void> {
  if (await isClaimedByOthers(work, row)) return
  const used = [...createProviders(work), ...createNextProviders(work)]
  for (const { identities } of new Map(used.map((one) => [one.name, one])).values()) {
    await identities?.remove(row.name)
  }
}
