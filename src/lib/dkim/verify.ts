import { headerFields, splitMessage } from "../header-fields.ts"
import { remember } from "../remember.ts"
import { SECOND_MS } from "../time.ts"
import { type Canonicalization, hashBody, signedHeader } from "./canonical.ts"
import { holds, readKey } from "./key.ts"
import { readSignature, type Signature } from "./signature.ts"

/**
 * Words of RFC 8601. `fail`: the key was found and the signature does not hold. `policy`: it does not count,
 * because of SHA-1, a short key or `l=`. `neutral`: it has expired, is not valid yet, or is a test that failed.
 * `permerror`: the signature or its key is wrong, or there is no key. `temperror`: DNS did not answer.
 */
export type DkimResult = "pass" | "fail" | "policy" | "neutral" | "permerror" | "temperror"

export interface DkimCheck {
  domain: string
  result: DkimResult
}

/** The TXT values of a name, none if there are none; null if DNS did not answer. */
type ResolveTxt = (name: string) => Promise<string[] | null>

const MAX_SIGNATURES = 5
const CLOCKS_APART_SECONDS = 300
/** To split a larger header into its fields takes twenty times its memory. */
const MAX_HEADER_BYTES = 256 * 1024

/** Checks the first five DKIM signatures of a message: RFC 6376 and RFC 8463. A header that is too large has none. */
export async function verifyDkim(
  message: Uint8Array,
  resolveTxt: ResolveTxt,
  now: Date,
): Promise<DkimCheck[]> {
  const { head, body } = splitMessage(
    Buffer.from(message.buffer, message.byteOffset, message.byteLength),
    MAX_HEADER_BYTES + "\r\n\r\n".length,
  )
  if (head.length > MAX_HEADER_BYTES) return []
  const fields = headerFields(head.toString("latin1"))
  const bodyHash = remember((form) => hashBody(body, form as Canonicalization))
  const textsAt = remember(resolveTxt)

  async function check(signature: Signature, signed: Uint8Array<ArrayBuffer>): Promise<DkimResult> {
    const seconds = now.getTime() / SECOND_MS
    const { signedAt, expiresAt, selector, domain } = signature
    if (signedAt !== null && signedAt > seconds + CLOCKS_APART_SECONDS) return "neutral"
    if (expiresAt !== null && expiresAt < seconds) return "neutral"
    const texts = await textsAt(`${selector}._domainkey.${domain}`)
    if (!texts) return "temperror"
    const found = await readKey(texts, signature)
    if (typeof found === "string") return found
    const isWhole =
      (await holds(signature, found.key, signed)) &&
      (await bodyHash(signature.body)) === signature.bodyHash
    return isWhole ? "pass" : found.isTest ? "neutral" : "fail"
  }

  const checks = fields
    .filter(({ name }) => name === "dkim-signature")
    .slice(0, MAX_SIGNATURES)
    .map(async (field) => {
      const read = readSignature(field)
      if (!read || "result" in read) return read
      const { names, header } = read.signature
      const signed = signedHeader(fields, field, names, header)
      return { domain: read.domain, result: await check(read.signature, signed) }
    })
  return (await Promise.all(checks)).filter((found) => found !== null)
}
