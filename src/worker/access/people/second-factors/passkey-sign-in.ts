import type * as z from "zod"
import { ApiError } from "../../../platform/http/errors.ts"
import { createAuth } from "../auth.ts"
import { toUser } from "../sessions/session.ts"
import { countCall } from "../sign-in/attempts.ts"
import { noteSignIn, refusedAs } from "../sign-in/sign-in.ts"
import type { Visitor } from "../sign-in/visit.ts"
import type { signInWithPasskey as contract } from "../sign-in/visitors-contract.ts"

/** The reply names no passkeys, so it does not tell who has an account. */
export async function startPasskeySignIn({ work, headers, ip }: Visitor) {
  await countCall(work, ip)
  const auth = await createAuth(work)
  const { headers: cookies, response } = await auth.api.generatePasskeyAuthenticationOptions({
    headers: withoutCookies(headers),
    returnHeaders: true,
  })
  return { body: { ...response, userVerification: "required" }, headers: cookies }
}

export async function signInWithPasskey(
  { work, headers, ip }: Visitor,
  response: z.output<typeof contract.json>["response"],
) {
  await countCall(work, ip)
  const auth = await createAuth(work)
  const verified = await auth.api
    .verifyPasskeyAuthentication({ body: { response }, headers, returnHeaders: true })
    .catch(refusedAs(() => new ApiError("unauthorized", "This passkey is not known.")))
  const user = toUser(verified.response.user)
  await noteSignIn(work, user, headers)
  return { body: { user }, headers: verified.headers }
}

/** With a session cookie, the library would name the user's passkeys. */
function withoutCookies(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete("cookie")
  return kept
}
