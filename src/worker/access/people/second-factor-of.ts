import type { SECOND_FACTORS } from "./contract.ts"

const BY_PATH: Record<string, (typeof SECOND_FACTORS)[number]> = {
  "/passkey/verify-authentication": "passkey",
  "/two-factor/verify-totp": "code",
  "/two-factor/verify-backup-code": "code",
}

/** The second factor of a new session, by the call of the sign-in library that makes it. */
export function secondFactorOf(path = "") {
  const secondFactor = BY_PATH[path]
  return secondFactor && { secondFactor }
}
