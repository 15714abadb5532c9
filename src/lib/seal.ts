import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/** What `ENCRYPTION_KEYS` holds: `id:base64` of 32 bytes each, separated by commas. */
interface Keys {
  ENCRYPTION_KEYS: string
}

/**
 * Encrypts with the first key, whose id stands before the result. `owner` names what the secret
 * belongs to: sealed text that is moved to another record does not open there.
 */
export function seal({ ENCRYPTION_KEYS }: Keys, owner: string, secret: string): string {
  const [id, key] = readKeys(ENCRYPTION_KEYS)[0] as [string, Buffer]
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final()])
  return `${id}:${Buffer.concat([sealed, cipher.getAuthTag()]).toString("base64")}`
}

/** Throws when the key is gone from the settings, or the text was not sealed for this owner. */
export function unseal({ ENCRYPTION_KEYS }: Keys, owner: string, sealed: string): string {
  const [id, base64 = ""] = sealed.split(":")
  const key = readKeys(ENCRYPTION_KEYS).find(([known]) => known === id)?.[1]
  if (!key) throw new Error(`ENCRYPTION_KEYS has no key '${id}'`)
  const bytes = Buffer.from(base64, "base64")
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString("utf8")
}

/** The same secret sealed with the first key; null where it is already. */
export function reseal(keys: Keys, owner: string, sealed: string): string | null {
  const [[first] = [""]] = readKeys(keys.ENCRYPTION_KEYS)
  return sealed.startsWith(`${first}:`) ? null : seal(keys, owner, unseal(keys, owner, sealed))
}

const readKeys = (keys: string): [string, Buffer][] =>
  keys.split(",").map((pair) => {
    const [id = "", base64 = ""] = pair.split(":")
    return [id, Buffer.from(base64, "base64")]
  })
