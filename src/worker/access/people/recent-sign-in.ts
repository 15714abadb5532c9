import { MINUTE_MS } from "../../../lib/time.ts"
import type { Ctx } from "../../platform/context.ts"
import { ApiError } from "../../platform/http/errors.ts"
import { sessionOf } from "./session.ts"

const RECENT_MS = 10 * MINUTE_MS

/** Whether the person has just proven who they are. */
export const isRecentSignIn = (ctx: Ctx, startedAt: number) => startedAt > ctx.now() - RECENT_MS

/** For changes of the ways to sign in. */
export async function requireRecentSignIn(ctx: Ctx) {
  const session = await sessionOf(ctx)
  if (!isRecentSignIn(ctx, session.startedAt)) {
    throw new ApiError("forbidden", "You signed in more than ten minutes ago: sign in again first.")
  }
  return session
}
