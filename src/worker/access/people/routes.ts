import type { Context, Hono } from "hono"
import { sha256Hex } from "../../../lib/crypto.ts"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { listJurisdictions } from "../../teams/choose-database.ts"
import { limitSession } from "../rate-limit.ts"
import { readSession } from "../session-guard.ts"
import { createAuth, socialProviders } from "./auth.ts"
import * as contract from "./contract.ts"
import * as own from "./profile-contract.ts"
import * as second from "./second-factors/second-factor-contract.ts"
import { getSession, toUser } from "./sessions/session.ts"
import { signIn } from "./sign-in/sign-in.ts"
import { visit, visitorOf } from "./sign-in/visit.ts"
import * as visitors from "./sign-in/visitors-contract.ts"

/** Loaded when a person uses them: no call of a key needs them. */
const profile = () => import("./profile.ts")
const passkeys = () => import("./second-factors/passkeys.ts")
const factor = () => import("./second-factors/second-factor.ts")
const claim = () => import("./claiming/claim.ts")
const passkeySignIn = () => import("./second-factors/passkey-sign-in.ts")
const socialSignIn = () => import("./sign-in/social-sign-in.ts")

export function sessionRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getSession, getSession)
  route(app, own.getProfile, async ({ people }) => (await profile()).getProfile(people))
  route(app, own.updateProfile, async ({ people }, { json }) =>
    (await profile()).updateProfile(people, json),
  )
  route(app, own.changePassword, async ({ people }, { json }, { headers }) =>
    (await profile()).changePassword(people, json, headers.get("cf-connecting-ip") ?? ""),
  )
  route(app, own.listSessions, async ({ people }) => (await profile()).listSessions(people))
  route(app, own.endSession, async ({ people }, { params }) =>
    (await profile()).endSession(people, params.id),
  )
  route(app, own.endSessions, async ({ people }) => (await profile()).endSessions(people))
  route(app, own.startPasskey, async ({ people }, _input, request) =>
    (await passkeys()).startPasskey(people, request),
  )
  route(app, own.createPasskey, async ({ people }, { json }, request) =>
    (await passkeys()).createPasskey(people, json, request),
  )
  route(app, own.listPasskeys, async ({ people }) => (await passkeys()).listPasskeys(people))
  route(app, own.renamePasskey, async ({ people }, { params, json }) =>
    (await passkeys()).renamePasskey(people, params.id, json.name),
  )
  route(app, own.deletePasskey, async ({ people }, { params }) =>
    (await passkeys()).deletePasskey(people, params.id),
  )
  secondFactorRoutes(app)
}

function secondFactorRoutes(app: Hono<HttpEnv>): void {
  route(app, second.getSecondFactor, async ({ people }) => (await factor()).getSecondFactor(people))
  route(app, second.startSecondFactor, async ({ people }, { json }, request) =>
    (await factor()).startSecondFactor(people, json, request),
  )
  route(app, second.confirmSecondFactor, async ({ people }, { json }, request) =>
    (await factor()).confirmSecondFactor(people, json, request),
  )
  route(app, second.verifySecondFactor, async ({ people }, { json }, request) =>
    (await factor()).verifySecondFactor(people, json, request),
  )
  route(app, second.renewRecoveryCodes, async ({ people }, { json }, request) =>
    (await factor()).renewRecoveryCodes(people, json, request),
  )
  route(app, second.removeSecondFactor, async ({ people }, { json }, request) =>
    (await factor()).removeSecondFactor(people, json, request),
  )
}

/** Calls without a session: the ways to sign in, and the calls of the sign-in library. */
export function authRoutes(app: Hono<HttpEnv>): void {
  visit(app, visitors.getMethods, async ({ work }) => {
    const { google, github } = socialProviders(work.settings)
    const claimable = !(await (await claim()).isClaimed(work))
    if (claimable) (await import("./claiming/own-claim-code.ts")).logClaimCode(work)
    return {
      body: {
        password: true,
        passkey: true,
        google: google !== undefined,
        github: github !== undefined,
        oidc: work.settings.OIDC_PROVIDERS.map(({ id, name }) => ({ id, name })),
        claimable,
        ...(claimable && { jurisdictions: listJurisdictions(work) }),
      },
    }
  })
  visit(app, visitors.signInWithPassword, async ({ work, headers }, { json }) => {
    const { cookies, user } = await signIn(work, json, headers)
    return { body: { user }, headers: cookies }
  })
  visit(app, second.signInWithSecondFactor, async (visitor, { json }) => {
    const { signInWithSecondFactor } = await import("./second-factors/second-factor-sign-in.ts")
    return signInWithSecondFactor(visitor, json)
  })
  visit(app, visitors.startPasskeySignIn, async (visitor) =>
    (await passkeySignIn()).startPasskeySignIn(visitor),
  )
  visit(app, visitors.signInWithPasskey, async (visitor, { json }) =>
    (await passkeySignIn()).signInWithPasskey(visitor, json.response),
  )
  visit(app, visitors.startSocialSignIn, async (visitor, { json }) =>
    (await socialSignIn()).startSocialSignIn(visitor, json.provider),
  )
  app.get("/callback/:provider", async (c) =>
    (await socialSignIn()).finishSocialSignIn(visitorOf(c), c.req.param("provider"), c.req.raw),
  )
  visit(app, visitors.claimInstallation, async (visitor, { json }) =>
    (await claim()).claimInstallation(visitor, json),
  )
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
