import type { Context, Hono } from "hono"
import { parseJson, readBody } from "../http/body.ts"
import { readInput } from "../http/read-input.ts"
import { type HttpEnv, route } from "../http/route.ts"
import { openWork } from "../work.ts"
import { openAuth } from "./auth.ts"
import * as contract from "./contract.ts"
import { readSignedSession } from "./guard.ts"
import { getSession, toUser } from "./session.ts"
import { signIn } from "./sign-in.ts"
import { signInWithPassword } from "./visitors-contract.ts"

const SIGN_IN_MAX_BYTES = 16 * 1024

export function sessionRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getSession, getSession)
}

/** The three calls of the sign-in library that the dashboard needs. */
export function authRoutes(app: Hono<HttpEnv>): void {
  app.post("/sign-in/email", async (c) => {
    const input = await readSignIn(c.req.raw)
    const { cookies, user } = await signIn(workOf(c), input, c.req.raw.headers)
    return c.json({ user }, 200, cookiesOf(cookies))
  })
  app.post("/sign-out", async (c) => {
    const auth = await openAuthOf(c)
    const { headers } = await auth.api.signOut({
      headers: c.req.raw.headers,
      returnHeaders: true,
    })
    return c.json({ success: true }, 200, cookiesOf(headers))
  })
  app.get("/get-session", async (c) => {
    const auth = await openAuthOf(c)
    const { headers, response } = await auth.api.getSession({
      headers: c.req.raw.headers,
      returnHeaders: true,
    })
    return c.json(response && { user: toUser(response.user) }, 200, cookiesOf(headers))
  })
}

async function openAuthOf(c: Context<HttpEnv>) {
  const work = workOf(c)
  const signed = await readSignedSession(c, work.settings)
  return openAuth(work, signed?.secret)
}

const workOf = (c: Context<HttpEnv>) => openWork(c.env, c.executionCtx)

/** A cookie is a secret, so no cache may store the reply. */
const cookiesOf = (headers: Headers) => ({
  "set-cookie": headers.getSetCookie(),
  "cache-control": "no-store",
})

const readSignIn = async (request: Request) =>
  readInput(signInWithPassword.json, parseJson(await readBody(request, SIGN_IN_MAX_BYTES)))
