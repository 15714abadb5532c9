import { and, count, desc, eq, isNull, not, notExists, or, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import type { Ctx } from "../../../platform/context.ts"
import { commit } from "../../../platform/db/commit.ts"
import { isOneOf } from "../../../platform/db/json-rows.ts"
import { conflict, invalid, orNotFound } from "../../../platform/http/errors.ts"
import { ALWAYS, auditEntry } from "../../../teams/audit/entry.ts"
import { createAuth, socialProviders } from "../auth.ts"
import { thenMailChange } from "../credential-mail.ts"
import type { Passkey } from "../profile-contract.ts"
import { requireOwnFactor, requireRecentSignIn } from "../recent-sign-in.ts"
import { notSignedIn, sessionOf } from "../sessions/session.ts"
import { isRefusal, refusedAs } from "../sign-in/sign-in.ts"
import { accounts, passkeys, sessions, users } from "../table.ts"
import { replyWithCookies } from "./reply-with-cookies.ts"

const MAX_PASSKEYS = 20

const other = alias(passkeys, "other")

type Row = typeof passkeys.$inferSelect

const toPasskey = ({ id, name, backedUp, createdAt }: Row): Passkey => ({
  id,
  name: name ?? "Passkey",
  syncs: backedUp,
  createdAt: createdAt.getTime(),
})

export async function listPasskeys(ctx: Ctx): Promise<{ data: Passkey[] }> {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(passkeys)
      .where(eq(passkeys.userId, ctx.user))
      .orderBy(desc(passkeys.createdAt))
      .limit(MAX_PASSKEYS),
  ])
  return { data: rows.map(toPasskey) }
}

export async function startPasskey(ctx: Ctx, { headers }: Request): Promise<Response> {
  const { user, secret } = await requireRecentSignIn(ctx)
  const [owned] = await ctx.db
    .select({ passkeys: count() })
    .from(passkeys)
    .where(eq(passkeys.userId, user.id))
  if ((owned?.passkeys ?? 0) >= MAX_PASSKEYS) {
    throw conflict(`A person has at most ${MAX_PASSKEYS} passkeys.`)
  }
  const auth = await createAuth(ctx, secret)
  const { headers: cookies, response } = await auth.api
    .generatePasskeyRegistrationOptions({ headers, returnHeaders: true })
    // The session has ended in the meantime.
    .catch(refusedAs(notSignedIn))
  return replyWithCookies(response, cookies)
}

export async function createPasskey(
  ctx: Ctx,
  { name, response }: { name: string; response: Record<string, unknown> },
  { headers }: Request,
): Promise<Passkey> {
  const { secret, token, user } = await requireRecentSignIn(ctx)
  const auth = await createAuth(ctx, secret)
  const created = await auth.api
    .verifyPasskeyRegistration({ body: { name, response }, headers })
    .catch((error: unknown) => {
      throw isRefusal(error) || isUnverified(error)
        ? invalid(["response"], "Does not answer the challenge")
        : error
    })
  const { stored } = await commit(ctx, {
    audit: await auditEntry(ctx, "passkeys.create", { label: name }, ALWAYS),
    stored: ctx.db.select().from(passkeys).where(eq(passkeys.id, created.id)),
    // The device has just checked its owner. Beside another factor, it may be a thief's.
    proven: ctx.db
      .update(sessions)
      .set({ secondFactor: "passkey" })
      .where(
        and(
          eq(sessions.token, token),
          isNull(sessions.secondFactor),
          not(hasOtherFactor(user.id, created.id)),
        ),
      ),
  })
  thenMailChange(ctx, user.email, "A passkey was added to your account.")
  return toPasskey(orNotFound(stored[0], "Passkey"))
}

export async function renamePasskey(ctx: Ctx, id: string, name: string): Promise<Passkey> {
  const { user } = await sessionOf(ctx)
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(passkeys)
      .set({ name })
      .where(and(eq(passkeys.userId, user.id), eq(passkeys.id, id)))
      .returning(),
    audit: await auditEntry(ctx, "passkeys.update", { id, label: name }),
  })
  return toPasskey(orNotFound(updated[0], "Passkey"))
}

export async function deletePasskey(ctx: Ctx, id: string): Promise<undefined> {
  const { user } = await requireOwnFactor(ctx)
  const isPasskey = and(eq(passkeys.userId, user.id), eq(passkeys.id, id))
  const { deleted } = await commit(ctx, {
    deleted: ctx.db
      .delete(passkeys)
      .where(and(isPasskey, hasOtherWay(ctx, user.id, id)))
      .returning({ id: passkeys.id }),
    audit: await auditEntry(ctx, "passkeys.remove", { id }),
  })
  if (deleted[0]) {
    await forgetPasskeySessions(ctx, user.id)
    return thenMailChange(ctx, user.email, "A passkey was removed from your account.")
  }
  const [kept] = await ctx.db.select({ id: passkeys.id }).from(passkeys).where(isPasskey)
  orNotFound(kept, "Passkey")
  throw conflict("This passkey is your only way to sign in.")
}

/** Without a passkey, a session that one has proven has no second factor any more. */
const forgetPasskeySessions = (ctx: Ctx, userId: string) =>
  ctx.db
    .update(sessions)
    .set({ secondFactor: null })
    .where(
      and(
        eq(sessions.userId, userId),
        eq(sessions.secondFactor, "passkey"),
        notExists(
          ctx.db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId)),
        ),
      ),
    )

/** A condition: the person has another way to sign in. */
function hasOtherWay({ settings }: Ctx, userId: string, id: string) {
  const oidc = settings.OIDC_PROVIDERS.map(({ id }) => id)
  const ways = ["credential", ...Object.keys(socialProviders(settings)), ...oidc]
  return or(
    sql`exists (select 1 from ${accounts} where ${accounts.userId} = ${userId}
      and ${isOneOf(accounts.providerId, ways)})`,
    hasOtherPasskey(userId, id),
  )
}

const hasOtherPasskey = (userId: string, id: string) =>
  sql`exists (select 1 from passkeys other where ${other.userId} = ${userId} and ${other.id} <> ${id})`

const hasOtherFactor = (userId: string, id: string) =>
  sql`(${hasOtherPasskey(userId, id)} or exists (select 1 from ${users}
    where ${users.id} = ${userId} and ${users.twoFactorEnabled}))`

/** The library answers 500 for an attestation that does not verify. */
const isUnverified = (error: unknown) =>
  typeof error === "object" &&
  error !== null &&
  "body" in error &&
  (error.body as { code?: string } | undefined)?.code === "FAILED_TO_VERIFY_REGISTRATION"
