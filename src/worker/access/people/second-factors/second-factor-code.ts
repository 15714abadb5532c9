import { sha256Hex } from "../../../../lib/crypto.ts"
import type { Work } from "../../../platform/context.ts"
import { invalid } from "../../../platform/http/errors.ts"
import type { createAuth } from "../auth.ts"
import { isFirstUse } from "../sign-in/attempts.ts"

export const wrongCode = () => invalid(["code"], "The code is wrong or expired.")

type Auth = Awaited<ReturnType<typeof createAuth>>

interface Given {
  code: string
  userId: string
  headers: Headers
}

/**
 * Gives a code to the library. It takes an app's code for 90 seconds, and as often as it comes; RFC
 * 6238 wants each to work once. Recovery codes are used up by the library.
 */
export async function verifyCode(work: Work, auth: Auth, { code, userId, headers }: Given) {
  const call = { body: { code }, headers, returnHeaders: true } as const
  if (!/^\d{6}$/.test(code)) return auth.api.verifyBackupCode(call)
  if (!(await isFirstUse(work, sha256Hex(`${userId} ${code}`)))) {
    throw invalid(["code"], "This code was already used. Wait for the next one.")
  }
  return auth.api.verifyTOTP(call)
}
