import { resolve } from "../../../lib/dns.ts"
import type { Settings } from "../../platform/env.ts"
import { dmarcNames } from "./dns.ts"
import { isDmarc, readDmarc, tagsOf } from "./judge-record.ts"

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
