import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { openNotes } from "../audit/notes.ts"
import { unauthorized } from "../http/errors.ts"
import type { HttpEnv } from "../http/route.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { openWork } from "../work.ts"
import { openKeyCtx } from "./caller.ts"
import { knownTeam, limitKey, limitStranger, limitTeam, rememberTeam } from "./rate-limit.ts"
import { isSecret } from "./secret.ts"

/** For calls with an API key: `openCtx` reads the bearer header and applies the rate limits. */
export const bearerKey = createMiddleware<HttpEnv>(async (c, next) => {
  const refuse = async (): Promise<never> => {
    await limitStranger(c.env, c.req.header("cf-connecting-ip"))
    throw unauthorized()
  }
  c.set("openCtx", async (endpoint) => {
    const token = readBearer(c)
    if (token === null) return refuse()
    const secretHash = sha256Hex(token)
    await limitKey(c.env, secretHash)
    const team = knownTeam(secretHash)
    if (team !== undefined) await limitTeam(c.env, team)
    const work = openWork(c.env, c.executionCtx)
    const findings = {
      known: (teamId: string) => rememberTeam(secretHash, teamId),
      unknown: refuse,
    }
    const notes = openNotes(work, endpoint, c.req.param())
    return openKeyCtx(work, secretHash, endpoint.access, findings, notes)
  })
  await next()
})

/** Null if the token cannot be a key: then the database is not asked. */
function readBearer(c: Context): string | null {
  const [scheme, token = "", ...more] = (c.req.header("authorization") ?? "").split(/ +/, 3)
  const isBearer = scheme?.toLowerCase() === "bearer" && more.length === 0
  return isBearer && isSecret(token) ? token : null
}
