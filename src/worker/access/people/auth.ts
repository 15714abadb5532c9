import type { PasskeyOptions } from "@better-auth/passkey"
import { sha256Hex } from "../../../lib/crypto.ts"
import { signingKeys } from "../../../lib/signing-keys.ts"
import type { Work } from "../../platform/context.ts"
import type { Settings } from "../../platform/env.ts"
import { invitedOnly } from "./invited.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { endOldSessions } from "./session-limit.ts"
import { accounts, passkeys, sessions, users, verifications } from "./table.ts"

const SESSION_SECONDS = 7 * 86_400
const EXTENDED_EVERY_SECONDS = 86_400

const COOKIE_PREFIX = "edgepost"

/** The library and Hono sign cookies in the same way, so Hono can check the dashboard's calls. */
export const sessionCookieName = ({ BASE_URL }: Settings) =>
  `${isLocal(BASE_URL) ? "" : "__Secure-"}${COOKIE_PREFIX}.session_token`
/** The first secret signs. The others still verify. */
export const sessionSecrets = ({ SIGNING_KEY }: Settings) =>
  signingKeys(SIGNING_KEY).map((key) => sha256Hex(`sessions ${key}`))

/**
 * Opens the library of users and sessions. It is loaded on first use, since the API does not need
 * it. It takes one secret: the one that signed the session, or the first.
 */
export async function createAuth(work: Work, secret = sessionSecrets(work.settings)[0]) {
  const { db, settings } = work
  const [{ betterAuth }, { drizzleAdapter }, { passkey }] = await Promise.all([
    import("better-auth/minimal"),
    import("better-auth/adapters/drizzle"),
    import("@better-auth/passkey"),
  ])
  return betterAuth({
    baseURL: settings.BASE_URL,
    basePath: "/dashboard/auth",
    secret,
    database: drizzleAdapter(db, {
      provider: "sqlite",
      schema: {
        user: users,
        session: sessions,
        account: accounts,
        verification: verifications,
        passkey: passkeys,
      },
    }),
    socialProviders: socialProviders(settings),
    databaseHooks: {
      user: invitedOnly(work),
      account: WITHOUT_TOKENS,
      session: endOldSessions(work),
    },
    plugins: [passkey(passkeyOptions(settings))],
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: EXTENDED_EVERY_SECONDS },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: !isLocal(settings.BASE_URL),
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
    logger: { disabled: true },
    telemetry: { enabled: false },
  })
}

export function socialProviders(settings: Settings) {
  const { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET } =
    settings
  const client = (clientId?: string, clientSecret?: string) =>
    clientId && clientSecret ? { clientId, clientSecret } : undefined
  const google = client(GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET)
  const github = client(GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET)
  return { ...(google && { google }), ...(github && { github }) }
}

/** Tokens of the provider are not stored: nothing needs them after the sign-in. */
const NO_TOKENS = { accessToken: null, refreshToken: null, idToken: null }
const dropTokens = async () => ({ data: NO_TOKENS })
const WITHOUT_TOKENS = { create: { before: dropTokens }, update: { before: dropTokens } }

const passkeyOptions = ({ BASE_URL }: Settings): PasskeyOptions => ({
  rpID: new URL(BASE_URL).hostname,
  rpName: "Edgepost",
  origin: new URL(BASE_URL).origin,
  authenticatorSelection: { residentKey: "required", userVerification: "required" },
  advanced: { webAuthnChallengeCookie: "passkey" },
  authentication: { afterVerification: async ({ verification }) => refuseUnseen(verification) },
})

/** A passkey replaces the password, so the device must have checked its owner. */
function refuseUnseen({ authenticationInfo }: { authenticationInfo: { userVerified: boolean } }) {
  if (!authenticationInfo.userVerified) throw new Error("The device did not check its owner")
}

/** Browsers do not store `Secure` cookies of a local page without TLS. */
function isLocal(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname)
}
