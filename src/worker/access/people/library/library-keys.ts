import { sha256Hex } from "../../../../lib/crypto.ts"
import type { Settings } from "../../../platform/env.ts"

/**
 * `ENCRYPTION_KEYS` as the sign-in library takes keys. Its versions are numbers, so a key's version
 * is a hash of the key's id.
 */
export function libraryKeys({ ENCRYPTION_KEYS }: Pick<Settings, "ENCRYPTION_KEYS">) {
  const keys = ENCRYPTION_KEYS.split(",").map((pair) => {
    const [id = "", key = ""] = pair.split(":")
    return [versionOf(id), sha256Hex(`second factors ${key}`)] as const
  })
  return { keys: new Map(keys), currentVersion: keys[0]?.[0] ?? 0 }
}

const VERSION_DIGITS = 8

const versionOf = (id: string) => Number.parseInt(sha256Hex(id).slice(0, VERSION_DIGITS), 16)
