import { domainAndParents } from "../../../lib/address.ts"
import { resolve } from "../../../lib/dns.ts"
import { isDmarc, readDmarc, tagsOf } from "../../../lib/dns-records.ts"
import type { Settings } from "../../platform/env.ts"
import type { DnsRecord } from "../contract.ts"

/** The policy that receivers apply to mail of a domain; `missing`: there is no record. */
export const DMARC_POLICIES = ["missing", "none", "quarantine", "reject"] as const
type DmarcPolicy = (typeof DMARC_POLICIES)[number]

const WITHIN_MS = 1_000

/**
 * Looks up the DMARC record of the domain and of its parents, all at once. Null where DNS did not
 * answer in time.
 */
export async function lookUpDmarc(settings: Settings, domain: string): Promise<DmarcPolicy | null> {
  const found = await Promise.all(
    dmarcNames(domain).map((name) => resolve(settings, name, "TXT", WITHIN_MS)),
  )
  for (const [index, one] of found.entries()) {
    if (!one.ok) return null
    const record = readDmarc(one.answers)
    if (record) return policyOf(record, index > 0)
    if (one.answers.some(isDmarc)) return "missing"
  }
  return "missing"
}

/** A parent's record may have another policy for the domains below it. */
function policyOf(record: string, isOfParent: boolean): DmarcPolicy {
  const tags = tagsOf(record)
  const policy = ((isOfParent && tags.get("sp")) || tags.get("p"))?.toLowerCase()
  return policy === "quarantine" || policy === "reject" ? policy : "none"
}

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
