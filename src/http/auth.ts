import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { openKeyCtx } from "../keys/caller.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { openWork } from "../work.ts"
import { ApiError, unauthorized } from "./errors.ts"
import type { HttpEnv } from "./route.ts"

const RATE_LIMIT_PERIOD_SECONDS = 10

/** Calls under an API key: `openCtx` reads the bearer header and holds the key's rate. */
export const bearerKey = createMiddleware<HttpEnv>(async (c, next) => {
  c.set("openCtx", async ({ access }) => {
    const secretHash = sha256Hex(readBearer(c))
    const { success } = await c.env.API_RATE_LIMIT.limit({ key: secretHash })
    if (!success) {
      throw new ApiError("rate_limited", "Too many requests with this key.", undefined, {
        "retry-after": String(RATE_LIMIT_PERIOD_SECONDS),
      })
    }
    return openKeyCtx(openWork(c.env, c.executionCtx), secretHash, access)
  })
  await next()
})

function readBearer(c: Context): string {
  const [scheme, token, ...more] = (c.req.header("authorization") ?? "").split(/ +/)
  if (scheme?.toLowerCase() !== "bearer" || !token || more.length > 0) throw unauthorized()
  return token
}
