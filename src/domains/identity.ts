import type { Work } from "../env.ts"
import { openNextProviders, openProviders } from "../providers/open.ts"
import type { IdentityCheck } from "../providers/provider.ts"
import type { DnsRecord } from "./contract.ts"
import { dmarcRecord, lookUpRecords } from "./dns.ts"
import { checkProof, hasNoBook, isProof, needsProof, proofRecord } from "./proof.ts"
import type { Rivals } from "./rivals.ts"
import type { DomainRow } from "./table.ts"

/** Adds a domain at every provider in use; answers the records that prove it. */
export async function createIdentity(
  work: Work,
  row: Pick<DomainRow, "id" | "name">,
  rivals: Rivals,
): Promise<DnsRecord[]> {
  const records = needsProof(work, rivals) ? [proofRecord(row)] : []
  let simulated = true
  for (const { identities } of openProviders(work)) {
    if (!identities) continue
    simulated &&= identities.simulated ?? false
    const wanted = await identities.create(row.name)
    records.push(...wanted.map((record) => ({ ...record, ok: false })))
  }
  if (!simulated && !records.some(({ kind }) => kind === "DMARC")) {
    records.push(await dmarcRecord(work.settings, row.name))
  }
  return records
}

interface CheckedIdentity {
  check: IdentityCheck
  records: DnsRecord[]
}

/** A domain is verified when all providers and its own proof say so. */
export async function checkIdentity(
  work: Work,
  row: DomainRow,
  rivals: Rivals,
): Promise<CheckedIdentity> {
  if (rivals.isLost) {
    const reason = "Another team has verified this domain."
    return { check: { state: "failed", reason }, records: row.records }
  }
  const books = openProviders(work).flatMap(({ identities }) => identities ?? [])
  const others = row.records.filter((record) => !isProof(record))
  const [proof, ...checks] = await Promise.all([
    checkOwnProof(work, row, rivals),
    ...books.map((identities) => identities.check(row.name)),
  ])
  const least = checks.find(({ state }) => state !== "verified")
  const records = books.every(({ simulated }) => simulated)
    ? others.map((record) => ({ ...record, ok: !least }))
    : await lookUpRecords(work.settings, others)
  return {
    check: least ?? proof?.check ?? { state: "verified" },
    records: [...(proof?.records ?? []), ...records],
  }
}

/** Null if the domain needs no proof. A later rival does not make a verified domain need one. */
async function checkOwnProof(
  work: Work,
  row: DomainRow,
  rivals: Rivals,
): Promise<CheckedIdentity | null> {
  const shown = row.records.find(isProof)
  const isNeeded = row.status === "verified" ? hasNoBook(work) : needsProof(work, rivals)
  if (!shown && !isNeeded) return null
  const record = shown ?? proofRecord(row)
  const check = await checkProof(work.settings, record)
  const ok = check.state === "unknown" ? record.ok : check.state === "verified"
  return { check, records: [{ ...record, ok }] }
}

export async function removeIdentity(work: Work, name: string): Promise<void> {
  const used = [...openProviders(work), ...openNextProviders(work)]
  for (const { identities } of new Map(used.map((one) => [one.name, one])).values()) {
    await identities?.remove(name)
  }
}
