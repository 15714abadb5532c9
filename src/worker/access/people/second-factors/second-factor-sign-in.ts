import { eq } from "drizzle-orm"
import { parseSigned } from "hono/utils/cookie"
import { ApiError } from "../../../platform/http/errors.ts"
import { createAuth } from "../auth.ts"
import { toUser } from "../sessions/session.ts"
import { secondFactorCookieName, sessionSecrets } from "../sessions/session-cookie.ts"
import { countCall } from "../sign-in/attempts.ts"
import { isRefusal, noteSignIn } from "../sign-in/sign-in.ts"
import type { Visitor } from "../sign-in/visit.ts"
import { verifications } from "../table.ts"
import { verifyCode, wrongCode } from "./second-factor-code.ts"

/**
 * The second half of a sign-in with a password. The library ends it after five wrong codes, and
 * after ten in a row it takes no code of the person for 15 minutes.
 */
export async function signInWithSecondFactor(
  { work, headers, ip }: Visitor,
  { code }: { code: string },
) {
  await countCall(work, ip)
  const pending = await readPending(headers, work.settings)
  const [waiting] = await work.db
    .select({ userId: verifications.value })
    .from(verifications)
    .where(eq(verifications.identifier, pending?.identifier ?? ""))
  if (!pending || !waiting) throw over()
  const auth = await createAuth(work, pending.secret)
  const asked = { code, userId: waiting.userId, headers: pending.headers }
  const verified = await verifyCode(work, auth, asked).catch((error: unknown) => {
    throw refusalOf(error)
  })
  const user = toUser(verified.response.user)
  await noteSignIn(work, user, headers)
  return { body: { user }, headers: verified.headers }
}

/** With the cookie of a session, the library would check the code for that session, without limits. */
async function readPending(headers: Headers, settings: Visitor["work"]["settings"]) {
  const name = secondFactorCookieName(settings)
  const cookies = headers.get("cookie") ?? ""
  for (const secret of sessionSecrets(settings)) {
    const { [name]: identifier } = await parseSigned(cookies, secret, name)
    if (!identifier) continue
    const kept = new Headers(headers)
    const own = cookies.split("; ").filter((cookie) => cookie.startsWith(`${name}=`))
    kept.set("cookie", own.join("; "))
    return { identifier, secret, headers: kept }
  }
  return null
}

const over = () => new ApiError("forbidden", "This sign-in is over. Enter your password again.")

function refusalOf(error: unknown): unknown {
  if (error instanceof ApiError) return error
  const { statusCode, body } = error as { statusCode?: number; body?: { code?: string } }
  if (statusCode === 429) {
    return new ApiError("rate_limited", "Too many wrong codes. Try again in 15 minutes.")
  }
  if (body?.code && OVER.includes(body.code)) return over()
  return isRefusal(error) ? wrongCode() : error
}

const OVER = ["INVALID_TWO_FACTOR_COOKIE", "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE"]
