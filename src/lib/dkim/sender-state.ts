import { organizationalDomain } from "./organizational-domain.ts"
import type { DkimCheck } from "./verify.ts"

export const SENDER_STATES = ["verified", "unverified", "failed"] as const
export type SenderState = (typeof SENDER_STATES)[number]

/**
 * Whether a signature proves the domain of `From`: its domain and this one have one organisational domain.
 * `failed`: such a signature was checked with its key, and none holds.
 */
export function senderState(fromDomain: string, checks: readonly DkimCheck[]): SenderState {
  const own = organizationalDomain(fromDomain)
  const results = checks
    .filter(({ domain }) => organizationalDomain(domain) === own)
    .map(({ result }) => result)
  if (results.includes("pass")) return "verified"
  return results.includes("fail") && !results.includes("temperror") ? "failed" : "unverified"
}
