import type { Settings, Work } from "../env.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { signingKeys } from "../lib/signing-keys.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { accounts, sessions, users, verifications } from "./table.ts"

const SESSION_SECONDS = 7 * 86_400
const EXTENDED_EVERY_SECONDS = 86_400

const COOKIE_PREFIX = "edgepost"

/** The library signs cookies as Hono does, so Hono checks the calls of the dashboard. */
export const sessionCookieName = ({ BASE_URL }: Settings) =>
  `${isLocal(BASE_URL) ? "" : "__Secure-"}${COOKIE_PREFIX}.session_token`
/** The first one signs; the others still verify. */
export const sessionSecrets = ({ SIGNING_KEY }: Settings) =>
  signingKeys(SIGNING_KEY).map((key) => sha256Hex(`sessions ${key}`))

/**
 * Opens the library of users and sessions. It is loaded on first use, since the API does not need
 * it. It takes one secret: the one that signed the session, or the first.
 */
export async function openAuth({ db, settings }: Work, secret = sessionSecrets(settings)[0]) {
  const [{ betterAuth }, { drizzleAdapter }] = await Promise.all([
    import("better-auth/minimal"),
    import("better-auth/adapters/drizzle"),
  ])
  return betterAuth({
    baseURL: settings.BASE_URL,
    secret,
    database: drizzleAdapter(db, {
      provider: "sqlite",
      schema: { user: users, session: sessions, account: accounts, verification: verifications },
    }),
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

/** Browsers do not store Secure cookies of a local page without TLS. */
function isLocal(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname)
}
