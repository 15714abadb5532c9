import { createHash, type Hash } from "node:crypto"
import { canonicalJson } from "../lib/json.ts"
import type { WrittenTexts } from "./content.ts"
import type { SendInput } from "./send-input.ts"

export interface Fingerprints {
  /**
   * A second request with the same idempotency key must have the same fingerprint. Null without a
   * key.
   */
  fingerprint: string | null
  /** The fingerprint for a sending-only key, which ignores `overrideSuppression`. */
  sendingOnlyFingerprint: string | null
}

/**
 * The hash of the canonical JSON, whose first member is `attachments`. The members before
 * `overrideSuppression` are hashed once.
 */
export function fingerprintsOf(input: SendInput, texts: WrittenTexts): Fingerprints {
  const { idempotencyKey: _, attachments, overrideSuppression, ...rest } = input
  const members = Object.entries({ ...rest, ...texts })
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const after = members.findIndex(([name]) => name > "overrideSuppression")
  const start = createHash("sha256").update(`{"attachments":${canonicalJson(attachments)}`)
  addMembers(start, members.slice(0, after))
  const hashWith = (override: boolean) => {
    const hash = start.copy().update(`,"overrideSuppression":${override}`)
    return addMembers(hash, members.slice(after)).update("}").digest("hex")
  }
  const fingerprint = hashWith(overrideSuppression)
  return {
    fingerprint,
    sendingOnlyFingerprint: overrideSuppression ? hashWith(false) : fingerprint,
  }
}

function addMembers(hash: Hash, members: [string, unknown][]): Hash {
  for (const [name, value] of members) {
    const json = value instanceof Uint8Array ? value : canonicalJson(value)
    hash.update(`,"${name}":`).update(json)
  }
  return hash
}
