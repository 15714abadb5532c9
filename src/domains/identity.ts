import type { Work } from "../env.ts"
import { type IdentityCheck, openProviders } from "../providers/provider.ts"
import type { DnsRecord } from "./contract.ts"
import { dmarcRecord, lookUpRecords } from "./dns.ts"

/** Enters a domain with every provider in use; answers the records that prove it. */
export async function createIdentity(work: Work, name: string): Promise<DnsRecord[]> {
  const records: DnsRecord[] = []
  let simulated = true
  for (const { identities } of openProviders(work)) {
    if (!identities) continue
    simulated &&= identities.simulated ?? false
    const wanted = await identities.create(name)
    records.push(...wanted.map((record) => ({ ...record, ok: false })))
  }
  if (!simulated && !records.some(({ kind }) => kind === "DMARC")) {
    records.push(await dmarcRecord(work.settings, name))
  }
  return records
}

/** What the providers say of a domain: the least of them counts. */
export async function checkIdentity(
  work: Work,
  { name, records }: { name: string; records: DnsRecord[] },
): Promise<{ check: IdentityCheck; records: DnsRecord[] }> {
  const all = openProviders(work).flatMap(({ identities }) => identities ?? [])
  const checks = await Promise.all(all.map((identities) => identities.check(name)))
  const check = checks.find(({ state }) => state !== "verified") ?? { state: "verified" }
  if (all.every(({ simulated }) => simulated)) {
    return {
      check,
      records: records.map((record) => ({ ...record, ok: check.state === "verified" })),
    }
  }
  return { check, records: await lookUpRecords(work.settings, records) }
}

export async function removeIdentity(work: Work, name: string): Promise<void> {
  for (const { identities } of openProviders(work)) await identities?.remove(name)
}
