import type { Context, Hono } from "hono"
import { sha256Hex } from "../../../lib/crypto.ts"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { createWork } from "../../platform/work.ts"
import { listJurisdictions } from "../../teams/choose-database.ts"
import { limitSession } from "../rate-limit.ts"
import { readSession } from "../session-guard.ts"
import { createAuth, socialProviders } from "./auth.ts"
import { claimInstallation, isClaimed } from "./claim.ts"
import * as contract from "./contract.ts"
import { logClaimCode } from "./own-claim-code.ts"
import { signInWithPasskey, startPasskeySignIn } from "./passkey-sign-in.ts"
import * as passkeys from "./passkeys.ts"
import * as profile from "./profile.ts"
import * as own from "./profile-contract.ts"
import * as factor from "./second-factor.ts"
import * as second from "./second-factor-contract.ts"
import { signInWithSecondFactor } from "./second-factor-sign-in.ts"
import { getSession, toUser } from "./session.ts"
import { signIn } from "./sign-in.ts"
import { finishSocialSignIn, startSocialSignIn } from "./social-sign-in.ts"
import { visit, visitorOf } from "./visit.ts"
import * as visitors from "./visitors-contract.ts"

export function sessionRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.getSession, getSession)
  route(app, own.getProfile, ({ people }) => profile.getProfile(people))
  route(app, own.updateProfile, ({ people }, { json }) => profile.updateProfile(people, json))
  route(app, own.changePassword, ({ people }, { json }, { headers }) =>
    profile.changePassword(people, json, headers.get("cf-connecting-ip") ?? ""),
  )
  route(app, own.listSessions, ({ people }) => profile.listSessions(people))
  route(app, own.endSession, ({ people }, { params }) => profile.endSession(people, params.id))
  route(app, own.endSessions, ({ people }) => profile.endSessions(people))
  route(app, own.startPasskey, ({ people }, _input, request) =>
    passkeys.startPasskey(people, request),
  )
  route(app, own.createPasskey, ({ people }, { json }, request) =>
    passkeys.createPasskey(people, json, request),
  )
  route(app, own.listPasskeys, ({ people }) => passkeys.listPasskeys(people))
  route(app, own.renamePasskey, ({ people }, { params, json }) =>
    passkeys.renamePasskey(people, params.id, json.name),
  )
  route(app, own.deletePasskey, ({ people }, { params }) =>
    passkeys.deletePasskey(people, params.id),
  )
  secondFactorRoutes(app)
}

function secondFactorRoutes(app: Hono<HttpEnv>): void {
  route(app, second.getSecondFactor, ({ people }) => factor.getSecondFactor(people))
  route(app, second.startSecondFactor, ({ people }, { json }, request) =>
    factor.startSecondFactor(people, json, request),
  )
  route(app, second.confirmSecondFactor, ({ people }, { json }, request) =>
    factor.confirmSecondFactor(people, json, request),
  )
  route(app, second.verifySecondFactor, ({ people }, { json }, request) =>
    factor.verifySecondFactor(people, json, request),
  )
  route(app, second.renewRecoveryCodes, ({ people }, { json }, request) =>
    factor.renewRecoveryCodes(people, json, request),
  )
  route(app, second.removeSecondFactor, ({ people }, { json }, request) =>
    factor.removeSecondFactor(people, json, request),
  )
}

/** Calls without a session: the ways to sign in, and the calls of the sign-in library. */
export function authRoutes(app: Hono<HttpEnv>): void {
  visit(app, visitors.getMethods, async ({ work }) => {
    const { google, github } = socialProviders(work.settings)
    const claimable = !(await isClaimed(work))
    if (claimable) logClaimCode(work)
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
  visit(app, second.signInWithSecondFactor, (visitor, { json }) =>
    signInWithSecondFactor(visitor, json),
  )
  visit(app, visitors.startPasskeySignIn, startPasskeySignIn)
  visit(app, visitors.signInWithPasskey, (visitor, { json }) =>
    signInWithPasskey(visitor, json.response),
  )
  visit(app, visitors.startSocialSignIn, (visitor, { json }) =>
    startSocialSignIn(visitor, json.provider),
  )
  app.get("/callback/:provider", (c) =>
    finishSocialSignIn(visitorOf(c), c.req.param("provider"), c.req.raw),
  )
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
