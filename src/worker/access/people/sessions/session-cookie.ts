import { sha256Hex } from "../../../../lib/crypto.ts"
import { signingKeys } from "../../../../lib/signing-keys.ts"
import type { Settings } from "../../../platform/env.ts"

/** Browsers take a `__Host-` cookie from this host only, and over TLS only. */
export const cookiePrefix = ({ BASE_URL }: Settings) =>
  isLocal(BASE_URL) ? "edgepost" : "__Host-edgepost"

/** The library and Hono sign cookies in the same way, so Hono can check the dashboard's calls. */
export const sessionCookieName = (settings: Settings) => `${cookiePrefix(settings)}.session_token`

/** The library names with it who has entered the password, and not yet the code. */
export const secondFactorCookieName = (settings: Settings) => `${cookiePrefix(settings)}.two_factor`

/** The first secret signs. The others still verify. */
export const sessionSecrets = ({ SIGNING_KEY }: Settings) =>
  signingKeys(SIGNING_KEY).map((key) => sha256Hex(`sessions ${key}`))

/** Browsers do not store `Secure` cookies of a local page without TLS. */
export function isLocal(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname)
}
