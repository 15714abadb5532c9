import { createMiddleware } from "hono/factory"
import { parseSigned } from "hono/utils/cookie"
import { sha256Hex } from "../../lib/crypto.ts"
import { DIRECTORY, hasOthers, workIn } from "../platform/db/databases.ts"
import type { Settings } from "../platform/env.ts"
import { ApiError } from "../platform/http/errors.ts"
import type { HttpEnv } from "../platform/http/route.ts"
import { createWork } from "../platform/work.ts"
import { createAudited } from "../teams/audit/audited.ts"
import {
  type Call,
  createSessionCtx,
  notSignedIn,
  readSessionCaller,
} from "./people/sessions/session.ts"
import { sessionCookieName, sessionSecrets } from "./people/sessions/session-cookie.ts"
import { knownPeople, limitPerson, limitSession, limitStranger, limitTeam } from "./rate-limit.ts"
import { createTeamCtx } from "./team-ctx.ts"

/** For calls of the dashboard: a session's cookie replaces the API key. */
export const sessionCookie = createMiddleware<HttpEnv>(async (c, next) => {
  c.set("createCtx", async (endpoint) => {
    const work = createWork(c.env, c.executionCtx)
    const session = await readSession(c.req.raw.headers, work.settings)
    const refuse = async (): Promise<never> => {
      await limitStranger(c.env, c.req.header("cf-connecting-ip"))
      throw notSignedIn()
    }
    if (!session) return refuse()
    const teamId = c.req.header("x-team-id")
    const hash = sha256Hex(session.token)
    const known = knownPeople.recall(`${hash} ${teamId}`)
    await limitSession(c.env, hash)
    if (known) await limitPerson(c.env, known.userId)
    if (known) await limitTeam(c.env, known.teamId)
    const remember: Call["remember"] = (now) => knownPeople.remember(`${hash} ${teamId}`, now)
    const call = { session, teamId, endpoint, refuse, remember }
    if (hasOthers(c.env) && !endpoint.inDirectory && known?.database !== DIRECTORY) {
      const { caller, database } = await readSessionCaller(work, call)
      const there = workIn(work, database)
      return createTeamCtx(there, caller, createAudited(there, endpoint, c.req.param()))
    }
    return createSessionCtx(work, call, createAudited(work, endpoint, c.req.param()))
  })
  await next()
})

/** The session's token, and the secret that signed it. */
export async function readSession(headers: Headers, settings: Settings) {
  const name = sessionCookieName(settings)
  const cookies = headers.get("cookie") ?? ""
  for (const secret of sessionSecrets(settings)) {
    const { [name]: token } = await parseSigned(cookies, secret, name)
    if (token) return { token, secret }
  }
  return null
}

/**
 * A page of another site can make the browser send a request with the cookie. Browsers name the site
 * of the page in these headers. A client without the headers is not a browser.
 */
export const refuseCrossSite = createMiddleware<HttpEnv>(async (c, next) => {
  const origin = c.req.header("origin")
  const site = c.req.header("sec-fetch-site") ?? "none"
  const isSafe = c.req.method === "GET" || c.req.method === "HEAD"
  const isOurs =
    (origin === undefined || origin === new URL(c.req.url).origin) &&
    ["same-origin", "none"].includes(site)
  if (!isSafe && !isOurs) throw new ApiError("forbidden", "This call came from another site.")
  await next()
})
