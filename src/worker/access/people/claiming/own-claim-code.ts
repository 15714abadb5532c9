import { createHmac } from "node:crypto"
import { log } from "../../../../lib/log.ts"
import { signingKeys } from "../../../../lib/signing-keys.ts"
import { DAY_MS } from "../../../../lib/time.ts"
import type { Work } from "../../../platform/context.ts"
import type { Settings } from "../../../platform/env.ts"

/**
 * The codes that claim an installation without `npm run deploy`: the secret CLAIM_CODE, or else a code that the
 * log shows. That one changes each day, and the one of yesterday still works.
 */
export function ownClaimCodes({ CLAIM_CODE, SIGNING_KEY }: Settings, now: number): string[] {
  if (CLAIM_CODE) return [CLAIM_CODE]
  const today = Math.floor(now / DAY_MS)
  return [today, today - 1].map((day) =>
    createHmac("sha256", signingKeys(SIGNING_KEY)[0])
      .update(`claim ${day}`)
      .digest("base64url")
      .slice(0, 24),
  )
}

/** Only who may read the log of the Worker sees the code. */
export function logClaimCode({ settings, now }: Work): void {
  const [claimCode = ""] = ownClaimCodes(settings, now())
  if (!settings.CLAIM_CODE) log("warn", { claimCode })
}
