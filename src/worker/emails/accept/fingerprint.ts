import { createHash, type Hash } from "node:crypto"
import { canonicalJson } from "../../../lib/json.ts"
import type { SendInput } from "../send-input.ts"

export interface Fingerprints {
  /**
   * A second request with the same idempotency key must have the same fingerprint. Null without a
   * key.
   */
  fingerprint: string | null
  /** The fingerprint for a sending-only key, which ignores `overrideSuppression`. */
  sendingOnlyFingerprint: string | null
}

/** Writing longer texts as JSON would take much of a call's time. */
const MAX_WRITTEN_CHARACTERS = 64 * 1024

/**
 * The hash of the canonical JSON, with `attachments` as its first member. A long text is hashed
 * after its length, not as JSON. Both hashes share the members before `overrideSuppression`.
 */
export function fingerprintsOf(input: SendInput): Fingerprints {
  const { idempotencyKey, attachments, overrideSuppression, raw, given, ...rest } = input
  if (!idempotencyKey) return { fingerprint: null, sendingOnlyFingerprint: null }
  const members = Object.entries(given ?? rest)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const after = members.findIndex(([name]) => name > "overrideSuppression")
  const start = createHash("sha256").update(`{"attachments":${canonicalJson(attachments)}`)
  for (const piece of raw?.pieces ?? []) start.update(piece)
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
    hash.update(`,"${name}":`)
    if (typeof value === "string" && value.length > MAX_WRITTEN_CHARACTERS) {
      hash.update(`${value.length}:`).update(value, isAscii(value) ? "utf8" : "utf16le")
    } else hash.update(canonicalJson(value))
  }
  return hash
}

/** Text that is not ASCII is encoded faster as UTF-16 than as UTF-8. */
const isAscii = (text: string) => Buffer.byteLength(text) === text.length
