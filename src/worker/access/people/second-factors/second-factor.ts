import { and, eq, isNull } from "drizzle-orm"
import type { Ctx } from "../../../platform/context.ts"
import { commit } from "../../../platform/db/commit.ts"
import { conflict, invalid } from "../../../platform/http/errors.ts"
import { ALWAYS, auditEntry } from "../../../teams/audit/entry.ts"
import { createAuth } from "../auth.ts"
import { thenMailChange } from "../credential-mail.ts"
import { requireOwnFactor, requireRecentSignIn } from "../recent-sign-in.ts"
import { sessionOf } from "../sessions/session.ts"
import { asAttempt } from "../sign-in/attempts.ts"
import { refusedAs } from "../sign-in/sign-in.ts"
import { accounts, secondFactors, sessions, users } from "../table.ts"
import { replyWithCookies } from "./reply-with-cookies.ts"
import { verifyCode, wrongCode } from "./second-factor-code.ts"

interface WithPassword {
  password?: string | undefined
}

export async function getSecondFactor(ctx: Ctx) {
  const [[row]] = await ctx.batch([
    ctx.db.select({ enabled: users.twoFactorEnabled }).from(users).where(eq(users.id, ctx.user)),
  ])
  if (!row?.enabled) return { enabled: false, recoveryCodesLeft: 0 }
  return { enabled: true, recoveryCodesLeft: (await readCodes(ctx)).length }
}

async function readCodes(ctx: Ctx): Promise<string[]> {
  const { user, secret } = await sessionOf(ctx)
  const auth = await createAuth(ctx, secret)
  const { backupCodes } = await auth.api.viewBackupCodes({ body: { userId: user.id } })
  return backupCodes
}

/** A person with a password needs it. The app counts once a code has confirmed it. */
export async function startSecondFactor(ctx: Ctx, { password }: WithPassword, request: Request) {
  const { secret, user } = await sessionOf(ctx)
  if (await isEnabled(ctx, user.id)) throw conflict("An authenticator app is set up already.")
  await ((await hasPassword(ctx, user.id)) ? requireOwnFactor(ctx) : requireRecentSignIn(ctx))
  const auth = await createAuth(ctx, secret)
  const started = await checkingPassword(ctx, request, () =>
    auth.api.enableTwoFactor({
      body: { method: "totp", ...given(password) },
      headers: request.headers,
    }),
  )
  if (!("totpURI" in started) || !started.totpURI) throw new Error("The library gave no URI")
  const uri = started.totpURI
  return { uri, secret: new URL(uri).searchParams.get("secret") ?? "" }
}

export async function confirmSecondFactor(ctx: Ctx, { code }: { code: string }, request: Request) {
  const { user } = await sessionOf(ctx)
  const [row] = await ctx.db
    .select({ verified: secondFactors.verified })
    .from(secondFactors)
    .where(eq(secondFactors.userId, user.id))
  if (!row) throw conflict("Start the set-up of an authenticator app first.")
  if (row.verified) throw conflict("An authenticator app is set up already.")
  await requireOwnFactor(ctx)
  const { headers: cookies } = await checkCode(ctx, code, request)
  await commit(ctx, { audit: await auditEntry(ctx, "secondFactor.confirm", {}, ALWAYS) })
  thenMailChange(ctx, user.email, "An authenticator app was added to your account.")
  const recoveryCodes = await readCodes(ctx)
  return replyWithCookies({ recoveryCodes }, cookies)
}

/** The session then counts as one with a second factor. A passkey outlasts the app, so it stays. */
export async function verifySecondFactor(
  ctx: Ctx,
  { code }: { code: string },
  request: Request,
): Promise<undefined> {
  const { token, user } = await sessionOf(ctx)
  if (!(await isEnabled(ctx, user.id))) throw noApp()
  await checkCode(ctx, code, request)
  await ctx.db
    .update(sessions)
    .set({ secondFactor: "code" })
    .where(and(eq(sessions.token, token), isNull(sessions.secondFactor)))
}

export async function renewRecoveryCodes(ctx: Ctx, { password }: WithPassword, request: Request) {
  const { secret, user } = await requireRecentSignIn(ctx)
  if (!(await isEnabled(ctx, user.id))) throw noApp()
  const auth = await createAuth(ctx, secret)
  const { backupCodes } = await checkingPassword(ctx, request, () =>
    auth.api.generateBackupCodes({ body: given(password), headers: request.headers }),
  )
  const action = "secondFactor.renewRecoveryCodes"
  await commit(ctx, { audit: await auditEntry(ctx, action, {}, ALWAYS) })
  thenMailChange(ctx, user.email, "The recovery codes of your account were replaced.")
  return { recoveryCodes: backupCodes }
}

/** Sessions that a code has proven lose it, since nothing stands behind it any more. */
export async function removeSecondFactor(ctx: Ctx, { password }: WithPassword, request: Request) {
  const { secret, user } = await requireRecentSignIn(ctx)
  if (!(await isEnabled(ctx, user.id))) throw noApp()
  const auth = await createAuth(ctx, secret)
  const { headers: cookies } = await checkingPassword(ctx, request, () =>
    auth.api.disableTwoFactor({
      body: given(password),
      headers: request.headers,
      returnHeaders: true,
    }),
  )
  await commit(ctx, {
    unproven: ctx.db
      .update(sessions)
      .set({ secondFactor: null })
      .where(and(eq(sessions.userId, user.id), eq(sessions.secondFactor, "code"))),
    audit: await auditEntry(ctx, "secondFactor.remove", {}, ALWAYS),
  })
  thenMailChange(ctx, user.email, "The authenticator app was removed from your account.")
  return replyWithCookies(undefined, cookies)
}

/** The library checks the password; the limit is that of a sign-in. */
async function checkingPassword<T>(ctx: Ctx, request: Request, step: () => Promise<T>): Promise<T> {
  const { user } = await sessionOf(ctx)
  return asAttempt(ctx, user.email, addressOf(request), () =>
    step().catch(refusedAs(() => invalid(["password"], "The password is wrong."))),
  )
}

async function checkCode(ctx: Ctx, code: string, request: Request) {
  const { secret, user } = await sessionOf(ctx)
  const auth = await createAuth(ctx, secret)
  const given = { code, userId: user.id, headers: request.headers }
  return asAttempt(ctx, user.email, addressOf(request), () =>
    verifyCode(ctx, auth, given).catch(refusedAs(wrongCode)),
  )
}

async function isEnabled(ctx: Ctx, userId: string): Promise<boolean> {
  const [row] = await ctx.db
    .select({ enabled: users.twoFactorEnabled })
    .from(users)
    .where(eq(users.id, userId))
  return row?.enabled ?? false
}

async function hasPassword(ctx: Ctx, userId: string): Promise<boolean> {
  const [row] = await ctx.db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.userId, userId), eq(accounts.providerId, "credential")))
  return row !== undefined
}

const given = (password: string | undefined) => (password === undefined ? {} : { password })
const addressOf = ({ headers }: Request) => headers.get("cf-connecting-ip") ?? ""
const noApp = () => conflict("No authenticator app is set up.")
