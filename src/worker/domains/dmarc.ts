import { resolve } from "../../lib/dns.ts"
import type { Settings } from "../platform/env.ts"
import { dmarcNames, isDmarc } from "./dns.ts"

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
    const record = one.answers.find(isDmarc)
    if (record) return policyOf(record, index > 0)
  }
  return "missing"
}

/** A parent's record may have another policy for the domains below it. */
function policyOf(record: string, isOfParent: boolean): DmarcPolicy {
  const tags = new Map(
    record.split(";").map((tag) => {
      const [name = "", value = ""] = tag.split("=")
      return [name.trim().toLowerCase(), value.trim().toLowerCase()]
    }),
  )
  const policy = (isOfParent && tags.get("sp")) || tags.get("p")
  return policy === "quarantine" || policy === "reject" ? policy : "none"
}
