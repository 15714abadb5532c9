import { domainAndParents } from "../../../lib/address.ts"
import { resolve } from "../../../lib/dns.ts"
import type { Settings } from "../../platform/env.ts"
import type { DnsRecord } from "../contract.ts"
import { isDmarc, judgeRecord, readDmarc } from "./judge-record.ts"

type Resolver = Pick<Settings, "DNS_OVER_HTTPS_URL">

const TREE_LABELS = 7

/** The names that may have the DMARC record of a domain. RFC 9989 skips the parents of more than seven labels. */
export const dmarcNames = (domain: string) =>
  domainAndParents(domain)
    .filter((name) => name === domain || name.split(".").length <= TREE_LABELS)
    .map((name) => `_dmarc.${name}`)

/**
 * The DMARC record to publish: the existing one of the domain or a parent, if there is one. A new
 * record on a subdomain would replace its parent's stricter policy.
 */
export async function dmarcRecord(settings: Settings, domain: string): Promise<DnsRecord> {
  const record = { kind: "DMARC", type: "TXT", priority: null } as const
  for (const name of dmarcNames(domain)) {
    const found = await resolve(settings, name, "TXT")
    const texts = found.ok ? found.answers : []
    const value = readDmarc(texts)
    if (value) return { ...record, name, value, ok: true }
    // Receivers look no further.
    if (texts.some(isDmarc)) break
  }
  return { ...record, name: `_dmarc.${domain}`, value: "v=DMARC1; p=none", ok: false }
}

/** The records with their state in DNS. A record whose look-up fails stays as it is. */
export const lookUpRecords = (settings: Resolver, records: readonly DnsRecord[]) =>
  Promise.all(records.map(async (record) => (await lookUp(settings, record)).record))

/** A record with its state in DNS, and the values that its name has; null without an answer. */
export async function lookUp(
  settings: Resolver,
  record: DnsRecord,
): Promise<{ record: DnsRecord; found: string[] | null }> {
  const reply = await resolve(settings, record.name, record.type)
  return reply.ok
    ? { record: judgeRecord(record, reply.answers), found: reply.answers }
    : { record, found: null }
}
