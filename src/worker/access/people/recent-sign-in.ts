import { eq } from "drizzle-orm"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Ctx } from "../../platform/context.ts"
import { ApiError } from "../../platform/http/errors.ts"
import { sessionOf } from "./sessions/session.ts"
import { passkeys, users } from "./table.ts"

const RECENT_MS = 10 * MINUTE_MS

/** Whether the person has just proven who they are. */
export const isRecentSignIn = (ctx: Ctx, startedAt: number) => startedAt > ctx.now() - RECENT_MS

/** For changes of the ways to sign in. */
export async function requireRecentSignIn(ctx: Ctx) {
  const { startedAt } = await sessionOf(ctx)
  if (!isRecentSignIn(ctx, startedAt)) {
    throw new ApiError("forbidden", "You signed in more than ten minutes ago: sign in again first.")
  }
  return requireOwnFactor(ctx)
}

/**
 * For changes of the ways to sign in. A stolen password alone must not add a factor of the thief's,
 * nor remove the person's own.
 */
export async function requireOwnFactor(ctx: Ctx) {
  const session = await sessionOf(ctx)
  if (session.secondFactor || !(await hasSecondFactor(ctx, session.user.id))) return session
  throw new ApiError("forbidden", "You have a second factor: sign in with it first.", {
    reason: "second_factor_required",
  })
}

async function hasSecondFactor({ db }: Ctx, userId: string): Promise<boolean> {
  const [row] = await db
    .select({ app: users.twoFactorEnabled, passkey: passkeys.id })
    .from(users)
    .leftJoin(passkeys, eq(passkeys.userId, users.id))
    .where(eq(users.id, userId))
    .limit(1)
  return row !== undefined && (row.app || row.passkey !== null)
}
