import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16

/** `ENCRYPTION_KEYS` is a list of `id:base64` of 32 bytes, separated by commas. */
interface Keys {
  ENCRYPTION_KEYS: string
}

/**
 * Encrypts with the first key. The result starts with the key's id. `owner` names the record of the
 * secret: sealed text cannot be opened for another record.
 */
export function seal({ ENCRYPTION_KEYS }: Keys, owner: string, secret: string): string {
  const [id, key] = readKeys(ENCRYPTION_KEYS)[0] as [string, Buffer]
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final()])
  return `${id}:${Buffer.concat([sealed, cipher.getAuthTag()]).toString("base64")}`
}

/** Throws if the settings lack the key, or the text was sealed for another owner. */
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

/** The secret sealed with the first key; null if it is so already. */
export function reseal(keys: Keys, owner: string, sealed: string): string | null {
  const [[first] = [""]] = readKeys(keys.ENCRYPTION_KEYS)
  return sealed.startsWith(`${first}:`) ? null : seal(keys, owner, unseal(keys, owner, sealed))
}

const readKeys = (keys: string): [string, Buffer][] =>
  keys.split(",").map((pair) => {
    const [id = "", base64 = ""] = pair.split(":")
    return [id, Buffer.from(base64, "base64")]
  })
