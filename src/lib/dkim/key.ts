import type { KeyType, Signature } from "./signature.ts"
import { fromBase64, listOf, readTags } from "./tags.ts"

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
const MIN_RSA_BITS = 1_024

interface PublicKey {
  key: CryptoKey
  /** The domain only tries DKIM: a signature that does not hold means nothing. */
  isTest: boolean
}

/**
 * The key of a signature, among the texts at its name: RFC 6376, section 3.6.1. `permerror` if no key
 * is there for this signature, `policy` if it is too short.
 */
export async function readKey(
  texts: readonly string[],
  signature: Signature,
): Promise<PublicKey | "permerror" | "policy"> {
  const tags = texts.map(readTags).find((found) => isKey(found))
  const bytes = fromBase64(tags?.get("p") ?? "")
  if (!tags || !bytes || bytes.length === 0) return "permerror"
  const flags = listOf(tags.get("t") ?? "")
  const allows = (name: string, ...values: string[]) =>
    listOf(tags.get(name) ?? values.join(":")).some((item) => values.includes(item))
  const isOfType = (tags.get("k") ?? "rsa").toLowerCase() === signature.keyType
  if (!isOfType || !allows("h", "sha256") || !allows("s", "*", "email")) return "permerror"
  if (flags.includes("s") && signature.isForSubdomain) return "permerror"
  const key = await importKey(signature.keyType, bytes)
  if (!key) return "permerror"
  return bitsOf(key) < MIN_RSA_BITS ? "policy" : { key, isTest: flags.includes("y") }
}

/** A record of another kind may stand at the same name. */
function isKey(tags: Map<string, string> | null): tags is Map<string, string> {
  if (!tags?.has("p")) return false
  return !tags.has("v") || (tags.keys().next().value === "v" && tags.get("v") === "DKIM1")
}

async function importKey(type: KeyType, bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey | null> {
  const read = (format: "raw" | "spki", key: Uint8Array<ArrayBuffer>, algorithm: object) =>
    crypto.subtle.importKey(format, key, algorithm as { name: string }, false, ["verify"])
  try {
    if (type === "ed25519") return await read("raw", bytes, { name: "Ed25519" })
    return await read("spki", bytes, RSA).catch(() => read("spki", asSpki(bytes), RSA))
  } catch {
    return null
  }
}

/** RFC 6376 says RSAPublicKey, which most keys wrap as this does. */
function asSpki(rsaPublicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  const algorithm = [
    0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  const bits = [0x03, ...lengthOf(rsaPublicKey.length + 1), 0]
  const length = algorithm.length + bits.length + rsaPublicKey.length
  return Uint8Array.from([0x30, ...lengthOf(length), ...algorithm, ...bits, ...rsaPublicKey])
}

/** A length of DER, in two bytes. */
const lengthOf = (length: number) => [0x82, length >> 8, length & 0xff]

const bitsOf = ({ algorithm }: CryptoKey) =>
  "modulusLength" in algorithm ? (algorithm.modulusLength as number) : Number.POSITIVE_INFINITY

/** Ed25519 signs the hash (RFC 8463, section 3). */
export async function holds(
  { keyType, value }: Signature,
  key: CryptoKey,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (keyType === "rsa") return crypto.subtle.verify(RSA, key, value, signed)
  const digest = await crypto.subtle.digest("SHA-256", signed)
  return crypto.subtle.verify({ name: "Ed25519" }, key, value, digest)
}
