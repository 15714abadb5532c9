import type { Work } from "../env.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { accounts, sessions, users, verifications } from "./table.ts"

const SESSION_SECONDS = 7 * 86_400
const EXTENDED_EVERY_SECONDS = 86_400

/** The library of users and sessions: loaded when a person first comes, as the API never needs it. */
export async function openAuth({ db, settings }: Work) {
  const [{ betterAuth }, { drizzleAdapter }] = await Promise.all([
    import("better-auth/minimal"),
    import("better-auth/adapters/drizzle"),
  ])
  return betterAuth({
    baseURL: settings.BASE_URL,
    secret: sha256Hex(`sessions ${settings.SIGNING_KEY}`),
    database: drizzleAdapter(db, {
      provider: "sqlite",
      schema: { user: users, session: sessions, account: accounts, verification: verifications },
    }),
    emailAndPassword: { enabled: true, disableSignUp: true },
    session: { expiresIn: SESSION_SECONDS, updateAge: EXTENDED_EVERY_SECONDS },
    advanced: {
      cookiePrefix: "edgepost",
      useSecureCookies: !isLocal(settings.BASE_URL),
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
    logger: { disabled: true },
    telemetry: { enabled: false },
  })
}

export const isLocal = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === "http:" && ["localhost", "127.0.0.1"].includes(hostname)
}
