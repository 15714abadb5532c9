import type { Context, Hono } from "hono"
import { sha256Hex } from "../../../lib/crypto.ts"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { limitSession } from "../rate-limit.ts"
import { readSession } from "../session-guard.ts"
import { createAuth, socialProviders } from "./auth.ts"
import { claimInstallation, isClaimed } from "./claim.ts"
import * as contract from "./contract.ts"
import { signInWithPasskey, startPasskeySignIn } from "./passkey-sign-in.ts"
import * as passkeys from "./passkeys.ts"
import * as profile from "./profile.ts"
import * as own from "./profile-contract.ts"
import { getSession, toUser } from "./session.ts"
import { signIn } from "./sign-in.ts"
import { finishSocialSignIn, startSocialSignIn } from "./social-sign-in.ts"
import { visit, visitorOf } from "./visit.ts"
import * as visitors from "./visitors-contract.ts"

export function sessionRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getSession, getSession)
  route(app, own.getProfile, profile.getProfile)
  route(app, own.updateProfile, (ctx, { json }) => profile.updateProfile(ctx, json))
  route(app, own.changePassword, (ctx, { json }, { headers }) =>
    profile.changePassword(ctx, json, headers.get("cf-connecting-ip") ?? ""),
  )
  route(app, own.listSessions, profile.listSessions)
  route(app, own.endSession, (ctx, { params }) => profile.endSession(ctx, params.id))
  route(app, own.endSessions, profile.endSessions)
  route(app, own.startPasskey, (ctx, _input, request) => passkeys.startPasskey(ctx, request))
  route(app, own.createPasskey, (ctx, { json }, request) =>
    passkeys.createPasskey(ctx, json, request),
  )
  route(app, own.listPasskeys, passkeys.listPasskeys)
  route(app, own.renamePasskey, (ctx, { params, json }) =>
    passkeys.renamePasskey(ctx, params.id, json.name),
  )
  route(app, own.deletePasskey, (ctx, { params }) => passkeys.deletePasskey(ctx, params.id))
}

/** Calls without a session: the ways to sign in, and the calls of the sign-in library. */
export function authRoutes(app: Hono<HttpEnv>): void {
  visit(app, visitors.getMethods, async ({ work }) => {
    const { google, github } = socialProviders(work.settings)
    return {
      body: {
        password: true,
        passkey: true,
        google: google !== undefined,
        github: github !== undefined,
        claimable: !(await isClaimed(work)),
      },
    }
  })
  visit(app, visitors.signInWithPassword, async ({ work, headers }, { json }) => {
    const { cookies, user } = await signIn(work, json, headers)
    return { body: { user }, headers: cookies }
  })
  visit(app, visitors.startPasskeySignIn, startPasskeySignIn)
  visit(app, visitors.signInWithPasskey, (visitor, { json }) =>
    signInWithPasskey(visitor, json.response),
  )
  visit(app, visitors.startSocialSignIn, (visitor, { json }) =>
    startSocialSignIn(visitor, json.provider),
  )
  for (const provider of visitors.SOCIAL_PROVIDERS) {
    app.get(`/callback/${provider}`, (c) => finishSocialSignIn(visitorOf(c), c.req.raw))
  }
  visit(app, visitors.claimInstallation, (visitor, { json }) => claimInstallation(visitor, json))
  app.post("/sign-out", async (c) => {
    const auth = await createAuthOf(c)
    const { headers } = await auth.api.signOut({
      headers: c.req.raw.headers,
      returnHeaders: true,
    })
    return c.json({ success: true }, 200, cookiesOf(headers))
  })
  app.get("/get-session", async (c) => {
    const auth = await createAuthOf(c)
    const { headers, response } = await auth.api.getSession({
      headers: c.req.raw.headers,
      returnHeaders: true,
    })
    return c.json(response && { user: toUser(response.user) }, 200, cookiesOf(headers))
  })
}

async function createAuthOf(c: Context<HttpEnv>) {
  const work = createWork(c.env, c.executionCtx)
  const signed = await readSession(c.req.raw.headers, work.settings)
  if (signed) await limitSession(c.env, sha256Hex(signed.token))
  return createAuth(work, signed?.secret)
}

/** A cookie is a secret, so no cache may store the reply. */
const cookiesOf = (headers: Headers) => ({
  "set-cookie": headers.getSetCookie(),
  "cache-control": "no-store",
})
