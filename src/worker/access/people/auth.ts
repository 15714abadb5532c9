import type { PasskeyOptions } from "@better-auth/passkey"
import { eq } from "drizzle-orm"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import type { OidcProvider, Settings } from "../../platform/env.ts"
import { thenMailChange } from "./credential-mail.ts"
import { libraryKeys } from "./library/library-keys.ts"
import { hashPassword, verifyPassword } from "./password.ts"
import { cookiePrefix, isLocal, sessionSecrets } from "./sessions/session-cookie.ts"
import { limitSessions } from "./sessions/session-limit.ts"
import { invitedOnly } from "./sign-in/invited.ts"
import { openIdConnect } from "./sign-in/open-id-connect.ts"
import { accounts, passkeys, secondFactors, sessions, users, verifications } from "./table.ts"

const DAY_SECONDS = 86_400

/**
 * Opens the library of users and sessions. It is loaded on first use, since the API does not need
 * it. It takes one secret: the one that signed the session, or the first. It asks a provider of OpenID
 * Connect for its addresses at once, so it gets only the one that is used.
 */
export async function createAuth(
  work: Work,
  secret = sessionSecrets(work.settings)[0],
  oidc?: OidcProvider,
) {
  const { db, settings } = work
  const { betterAuth, drizzleAdapter, passkey, twoFactor } = await import("./library/library.ts")
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
        twoFactor: secondFactors,
      },
    }),
    socialProviders: socialProviders(settings),
    databaseHooks: {
      user: invitedOnly(work),
      account: accountHooks(work),
      session: limitSessions(work),
    },
    plugins: [
      passkey(passkeyOptions(settings)),
      twoFactor({ issuer: "Edgepost", allowPasswordless: true }),
      encryptionKeys(settings),
      ...(oidc ? await openIdConnect(settings, oidc) : []),
    ],
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    // Each use moves the end of a session: see `noteUse`. The cookie stays until the last day.
    session: {
      expiresIn: settings.SESSION_DAYS * DAY_SECONDS,
      disableSessionRefresh: true,
      additionalFields: { secondFactor: { type: "string", required: false, input: false } },
    },
    advanced: {
      cookiePrefix: cookiePrefix(settings),
      // It would put `__Secure-` before the prefix.
      useSecureCookies: false,
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: "lax",
        secure: !isLocal(settings.BASE_URL),
      },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
    },
    logger: { disabled: true },
    telemetry: { enabled: false },
  })
}

/**
 * The library encrypts with the secret that signs the sessions, unless it gets other keys. A new
 * `SIGNING_KEY` must not cost anybody the second factor.
 */
const encryptionKeys = (settings: Settings) => ({
  id: "encryption-keys",
  init: () => ({ context: { secretConfig: libraryKeys(settings) } }),
})

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
const accountHooks = (work: Work) => ({
  create: {
    before: dropTokens,
    async after({ userId, providerId }: { userId: string; providerId: string }) {
      const [user] = await work.db.select().from(users).where(eq(users.id, userId))
      const isNew = !user || user.createdAt.getTime() > work.now() - MINUTE_MS
      const name = nameOf(work.settings, providerId)
      if (!isNew && name) thenMailChange(work, user.email, `You can now sign in with ${name}.`)
    },
  },
  update: { before: dropTokens },
})

const SOCIAL_NAMES: Record<string, string> = { google: "Google", github: "GitHub" }

const nameOf = ({ OIDC_PROVIDERS }: Settings, providerId: string) =>
  SOCIAL_NAMES[providerId] ?? OIDC_PROVIDERS.find(({ id }) => id === providerId)?.name

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
