import { and, desc, eq, gt, ne } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { ApiError, orNotFound } from "../../platform/http/errors.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import type { User } from "./contract.ts"
import { thenMailChange } from "./credential-mail.ts"
import { refuseGuessable } from "./new-password.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import type { Profile, SessionRecord } from "./profile-contract.ts"
import { isRecentSignIn, requireOwnFactor } from "./recent-sign-in.ts"
import { sessionOf } from "./sessions/session.ts"
import { asAttempt } from "./sign-in/attempts.ts"
import { deviceOf } from "./sign-in/device.ts"
import { accounts, sessions, users } from "./table.ts"

const MAX_SESSIONS = 100

export async function getProfile(ctx: Ctx): Promise<Profile> {
  const [rows] = await ctx.batch([
    ctx.db
      .select({ providerId: accounts.providerId })
      .from(accounts)
      .where(eq(accounts.userId, ctx.user)),
  ])
  const { user, startedAt } = await sessionOf(ctx)
  const ways = rows.map(({ providerId }) => providerId)
  return {
    user,
    hasPassword: ways.includes("credential"),
    providers: ways.filter((way) => way !== "credential"),
    canAddPasskey: isRecentSignIn(ctx, startedAt),
  }
}

export async function updateProfile(ctx: Ctx, { name }: { name: string }): Promise<User> {
  const { user } = await sessionOf(ctx)
  const { changed } = await commit(ctx, {
    changed: ctx.db
      .update(users)
      .set({ name, updatedAt: new Date(ctx.now()) })
      .where(eq(users.id, user.id))
      .returning({ id: users.id, email: users.email, name: users.name }),
    audit: await auditEntry(ctx, "profile.update", { label: name }),
  })
  return orNotFound(changed[0], "User")
}

/** Needs the current password, so that an open session alone does not give away the account. */
export async function changePassword(
  ctx: Ctx,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  ip: string,
): Promise<undefined> {
  const { user, token } = await requireOwnFactor(ctx)
  refuseGuessable(newPassword, user.email, "newPassword")
  const isOwn = and(eq(accounts.userId, user.id), eq(accounts.providerId, "credential"))
  const hash = await asAttempt(ctx, user.email, ip, async () => {
    const [account] = await ctx.db.select({ hash: accounts.password }).from(accounts).where(isOwn)
    const hash = account?.hash
    if (hash && (await verifyPassword({ hash, password: currentPassword }))) return hash
    throw wrongPassword()
  })
  const password = await hashPassword(newPassword)
  const { changed } = await commit(ctx, {
    changed: ctx.db
      .update(accounts)
      .set({ password, updatedAt: new Date(ctx.now()) })
      .where(and(isOwn, eq(accounts.password, hash)))
      .returning({ id: accounts.id }),
    audit: await auditEntry(ctx, "profile.changePassword"),
    ended: ctx.db
      .delete(sessions)
      .where(and(eq(sessions.userId, user.id), ne(sessions.token, token))),
  })
  if (changed.length === 0) throw wrongPassword()
  thenMailChange(ctx, user.email, "Your password was changed.")
}

const wrongPassword = () => new ApiError("forbidden", "The current password is wrong.")

export async function listSessions(ctx: Ctx): Promise<{ data: SessionRecord[] }> {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(sessions)
      .where(and(eq(sessions.userId, ctx.user), gt(sessions.expiresAt, new Date(ctx.now()))))
      .orderBy(desc(sessions.updatedAt))
      .limit(MAX_SESSIONS),
  ])
  const { id: current } = await sessionOf(ctx)
  return {
    data: rows.map(({ id, userAgent, ipAddress, createdAt, updatedAt, expiresAt }) => ({
      id,
      current: id === current,
      device: deviceOf(userAgent),
      ip: ipAddress || null,
      createdAt: createdAt.getTime(),
      lastUsedAt: updatedAt.getTime(),
      expiresAt: expiresAt.getTime(),
    })),
  }
}

export async function endSession(ctx: Ctx, id: string): Promise<undefined> {
  const { user } = await sessionOf(ctx)
  const { ended } = await commit(ctx, {
    ended: ctx.db
      .delete(sessions)
      .where(and(eq(sessions.userId, user.id), eq(sessions.id, id)))
      .returning({ id: sessions.id }),
    audit: await auditEntry(ctx, "sessions.end", { id }),
  })
  orNotFound(ended[0], "Session")
}

export async function endSessions(ctx: Ctx): Promise<undefined> {
  const { user } = await sessionOf(ctx)
  await commit(ctx, {
    ended: ctx.db.delete(sessions).where(eq(sessions.userId, user.id)),
    audit: await auditEntry(ctx, "sessions.endAll"),
  })
}
