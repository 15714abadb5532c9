import { normalizeDomain } from "../address.ts"
import type { HeaderField } from "../header-fields.ts"
import { CANONICALIZATIONS, type Canonicalization } from "./canonical.ts"
import { fromBase64, listOf, readTags, withoutBlanks } from "./tags.ts"

const KEY_TYPES = ["rsa", "ed25519"] as const
export type KeyType = (typeof KEY_TYPES)[number]

/** What a `DKIM-Signature` field says. */
export interface Signature {
  keyType: KeyType
  domain: string
  selector: string
  /** Whether it signs for a domain below its own. */
  isForSubdomain: boolean
  header: Canonicalization
  body: Canonicalization
  names: string[]
  bodyHash: string
  value: Uint8Array<ArrayBuffer>
  signedAt: number | null
  expiresAt: number | null
}

type ReadSignature =
  | { domain: string; signature: Signature }
  /** `permerror` for a wrong one, `policy` for one that does not count here. */
  | { domain: string; result: "permerror" | "policy" }

const REQUIRED = ["a", "b", "bh", "d", "h", "s", "v"]
const SELECTOR = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,9}$/

/** Reads a signature by RFC 6376, section 3.5. Null if it names no domain. */
export function readSignature({ text }: HeaderField): ReadSignature | null {
  const tags = readTags(Buffer.from(text.slice(text.indexOf(":") + 1), "latin1").toString())
  const domain = normalizeDomain(tags?.get("d") ?? "")
  if (!tags || !domain) return null
  const wrong = { domain, result: "permerror" } as const
  if (REQUIRED.some((name) => !tags.get(name)) || tags.get("v") !== "1") return wrong
  const algorithm = tags.get("a")?.toLowerCase()
  if (algorithm === "rsa-sha1") return { domain, result: "policy" }
  const keyType = KEY_TYPES.find((type) => algorithm === `${type}-sha256`)
  const [header, body = "simple", ...more] = (tags.get("c") ?? "simple").toLowerCase().split("/")
  const forms = [header, body].map((form) => CANONICALIZATIONS.find((known) => known === form))
  const selector = tags.get("s")?.toLowerCase() ?? ""
  const names = listOf(tags.get("h") ?? "")
  const value = fromBase64(tags.get("b") ?? "")
  const identity = identityDomain(tags.get("i") ?? `@${domain}`)
  const [signedAt, expiresAt] = [secondsOf(tags.get("t")), secondsOf(tags.get("x"))]
  if (!keyType || !forms[0] || !forms[1] || more.length > 0 || !value) return wrong
  if (!SELECTOR.test(selector) || !names.includes("from")) return wrong
  if (!listOf(tags.get("q") ?? "dns/txt").includes("dns/txt")) return wrong
  if (identity !== domain && !identity?.endsWith(`.${domain}`)) return wrong
  if (Number.isNaN(signedAt) || Number.isNaN(expiresAt)) return wrong
  if (signedAt !== null && expiresAt !== null && expiresAt <= signedAt) return wrong
  // Anybody may add to a body of which only the beginning is signed.
  if (tags.has("l")) return { domain, result: "policy" }
  return {
    domain,
    signature: {
      keyType,
      domain,
      selector,
      isForSubdomain: identity !== domain,
      header: forms[0],
      body: forms[1],
      names,
      bodyHash: withoutBlanks(tags.get("bh") ?? ""),
      value,
      signedAt,
      expiresAt,
    },
  }
}

const identityDomain = (identity: string) =>
  identity.includes("@") ? normalizeDomain(identity.slice(identity.lastIndexOf("@") + 1)) : null

/** Null without the tag, `NaN` for what is no time. */
function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null
  return /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
}
