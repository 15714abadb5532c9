import { domainAndParents } from "../../lib/address.ts"
import { resolve } from "../../lib/dns.ts"
import type { Settings } from "../platform/env.ts"
import type { DnsRecord } from "./contract.ts"

type Resolver = Pick<Settings, "DNS_OVER_HTTPS_URL">

export const isDmarc = (text: string) => /^v=DMARC1\b/i.test(text)

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
    const value = found.ok ? found.answers.find(isDmarc) : undefined
    if (value) return { ...record, name, value, ok: true }
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
    ? { record: compare(record, reply.answers), found: reply.answers }
    : { record, found: null }
}

function compare(record: DnsRecord, answers: readonly string[]): DnsRecord {
  if (record.kind === "DMARC") {
    const value = answers.find(isDmarc)
    return { ...record, value: value ?? record.value, ok: value !== undefined }
  }
  const wanted = record.type === "MX" ? `${record.priority} ${record.value}` : record.value
  const ok = answers.some((answer) => comparable(record, answer) === comparable(record, wanted))
  return { ...record, ok }
}

/** Host names ignore case and a final dot; text does not. */
const comparable = ({ type }: DnsRecord, text: string) =>
  type === "TXT" ? text.trim() : text.toLowerCase().replace(/\.$/, "")
