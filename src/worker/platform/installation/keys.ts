import { randomBytes } from "node:crypto"
import { log } from "../../../lib/log.ts"
import { within } from "../../../lib/within.ts"
import { READ_WITHIN_MS } from "../db/overflow.ts"
import type { Env } from "../env.ts"

/** In the bucket. */
export const KEYS_OBJECT = "installation/keys.json"
export const KEY_NAMES = ["SIGNING_KEY", "ENCRYPTION_KEYS", "ERASURE_KEY"] as const
export type Keys = Partial<Record<(typeof KEY_NAMES)[number], string>>

/** A new key would not fit what the database holds, so an installation with people or teams gets none. */
const IS_USED = `select exists (select 1 from users) or exists (select 1 from teams)
  or exists (select 1 from team_databases) as used`

/**
 * Keys that are not secrets of the Worker. They are made once, and kept in the bucket: who reads a database or
 * its backup has no key to it.
 */
export async function readKeys(env: Env, directory: D1Database): Promise<Keys> {
  if (KEY_NAMES.every((name) => env[name])) return {}
  const kept = await readKept(env)
  if (kept) return kept
  if (await directory.prepare(IS_USED).first<number>("used")) {
    log("error", { missingKeys: KEYS_OBJECT })
    return {}
  }
  const random = () => randomBytes(32).toString("base64")
  const made = {
    SIGNING_KEY: random(),
    // An id of its own, so that text that other keys have sealed says which it needs.
    ENCRYPTION_KEYS: `${randomBytes(4).toString("hex")}:${random()}`,
    ERASURE_KEY: random(),
  } satisfies Keys
  const unlessKept = { onlyIf: { etagDoesNotMatch: "*" } }
  const put = env.CONTENT.put(KEYS_OBJECT, JSON.stringify(made), unlessKept)
  // Of several processes that put at once, all but one may be refused.
  const failure = await within(READ_WITHIN_MS, put).then(
    () => null,
    (error: unknown) => error,
  )
  const stored = await readKept(env)
  if (!stored) throw failure ?? new Error("The bucket lost the keys")
  return stored
}

async function readKept(env: Env): Promise<Keys | null> {
  const kept = await within(READ_WITHIN_MS, env.CONTENT.get(KEYS_OBJECT))
  return kept ? kept.json() : null
}
