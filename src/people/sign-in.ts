import { and, eq } from "drizzle-orm"
import type * as z from "zod"
import type { Work } from "../env.ts"
import { ApiError } from "../http/errors.ts"
import { countAttempt, rememberAddress, takeBackAttempt } from "./attempts.ts"
import { openAuth } from "./auth.ts"
import { hashPassword, isOutdated } from "./password.ts"
import { toUser } from "./session.ts"
import { accounts } from "./table.ts"
import type { signInWithPassword } from "./visitors-contract.ts"

/** Answers the user and the headers that set the session's cookie. */
export async function signIn(
  work: Work,
  { email, password }: z.output<typeof signInWithPassword.json>,
  headers: Headers,
) {
  const address = email.trim().toLowerCase()
  const ip = headers.get("cf-connecting-ip") ?? ""
  await countAttempt(work, address, ip)
  const auth = await openAuth(work)
  const { headers: cookies, response } = await auth.api
    .signInEmail({ body: { email: address, password }, headers, returnHeaders: true })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new ApiError("unauthorized", "Wrong email or password.") : error
    })
  await takeBackAttempt(work, address, ip)
  await rememberAddress(work, response.user.id, ip)
  await renewHash(work, response.user.id, password)
  return { cookies, user: toUser(response.user) }
}

/** Replaces a password hash of an earlier version. */
async function renewHash(work: Work, userId: string, password: string): Promise<void> {
  const isOwn = and(eq(accounts.userId, userId), eq(accounts.providerId, "credential"))
  const [account] = await work.db.select({ hash: accounts.password }).from(accounts).where(isOwn)
  if (!account?.hash || !isOutdated(account.hash)) return
  await work.db
    .update(accounts)
    .set({ password: await hashPassword(password) })
    .where(and(isOwn, eq(accounts.password, account.hash)))
}

/** The library answers 400 for a malformed address; callers must not see a difference. */
const isRefusal = (error: unknown) =>
  typeof error === "object" &&
  error !== null &&
  "statusCode" in error &&
  (error.statusCode === 400 || error.statusCode === 401)
