import { eq } from "drizzle-orm"
import type * as z from "zod"
import { normalizeAddress } from "../../../../lib/address.ts"
import type { Work } from "../../../platform/context.ts"
import { ApiError } from "../../../platform/http/errors.ts"
import { insertEntry, userActor } from "../../../teams/audit/entry.ts"
import { createAuth } from "../auth.ts"
import type { User } from "../contract.ts"
import { toUser } from "../sessions/session.ts"
import { members } from "../table.ts"
import { asAttempt, rememberAddress } from "./attempts.ts"
import { deviceOf } from "./device.ts"
import type { signInWithPassword } from "./visitors-contract.ts"

/**
 * Answers the user and the headers that set the session's cookie. No user: there is no session until
 * the code of the second factor.
 */
export async function signIn(
  work: Work,
  { email, password }: z.output<typeof signInWithPassword.json>,
  headers: Headers,
) {
  const address = normalizeAddress(email.trim()) ?? email.trim().toLowerCase()
  const ip = headers.get("cf-connecting-ip") ?? ""
  const { headers: cookies, response } = await asAttempt(work, address, ip, async () => {
    const auth = await createAuth(work)
    return auth.api
      .signInEmail({ body: { email: address, password }, headers, returnHeaders: true })
      .catch(refusedAs(() => new ApiError("unauthorized", "Wrong email or password.")))
  })
  if (!("user" in response)) return { cookies, user: null }
  const user = toUser(response.user)
  await noteSignIn(work, user, headers)
  return { cookies, user }
}

/** Remembers the network, and notes the sign-in in the audit log of each of the user's teams. */
export async function noteSignIn(work: Work, user: User, headers: Headers): Promise<void> {
  await rememberAddress(work, user.id, headers.get("cf-connecting-ip") ?? "")
  const places = await work.db
    .select({ teamId: members.teamId })
    .from(members)
    .where(eq(members.userId, user.id))
  const [first, ...others] = places.map(({ teamId }) =>
    work.db.run(
      insertEntry(
        {
          teamId,
          actor: userActor(user),
          action: "sessions.signIn",
          objectId: user.id,
          label: deviceOf(headers.get("user-agent")),
        },
        work.now(),
      ),
    ),
  )
  if (first) await work.db.batch([first, ...others])
}

/** The library answers 400 for a malformed address. Callers get the same reply as for a wrong password. */
export const isRefusal = (error: unknown) =>
  typeof error === "object" &&
  error !== null &&
  "statusCode" in error &&
  (error.statusCode === 400 || error.statusCode === 401)

/** For `catch`: throws this error in place of a refusal of the library. */
export const refusedAs = (refusal: () => ApiError) => (error: unknown) => {
  throw isRefusal(error) ? refusal() : error
}
