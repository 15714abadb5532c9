import * as z from "zod"
import { endpoint } from "../../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../../platform/http/example.ts"
import {
  bareAddress,
  boundedText,
  jurisdiction,
  jurisdictions,
  ownName,
  timestamp,
} from "../../../platform/http/shapes.ts"
import { signInInput, user } from "../contract.ts"
import { ROLES } from "../roles.ts"

/** The largest body of a sign-in is that of a passkey. */
const SIGN_IN_MAX_BYTES = 16 * 1024

const MIN_PASSWORD_CHARACTERS = 10
const MAX_PASSWORD_CHARACTERS = 128
export const NEW_PASSWORD_RULE = `${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters; not a very common password, and not your address.`
export const newPassword = z
  .string()
  .min(MIN_PASSWORD_CHARACTERS)
  .max(MAX_PASSWORD_CHARACTERS)
  .describe(NEW_PASSWORD_RULE)

export const SOCIAL_PROVIDERS = ["google", "github"] as const
export type SocialProvider = (typeof SOCIAL_PROVIDERS)[number]

/** Why a sign-in through a provider failed: `error` in the URL of the sign-in page. */
export const SOCIAL_ERRORS = ["no_account", "email_not_verified", "refused"] as const

const visitor = { access: "visitor", tag: "Sign-in", maxBytes: SIGN_IN_MAX_BYTES } as const
const token = boundedText(100, z.string().min(1))
/** In base64url: 1,023 bytes at most. */
const credentialId = z.string().max(1400)
const signedIn = z.object({ user })

export const getMethods = endpoint({
  ...visitor,
  name: "signIn.methods",
  call: "GET /methods",
  summary: "Ways to sign in to this installation",
  response: z
    .object({
      password: z.boolean(),
      passkey: z.boolean(),
      google: z.boolean(),
      github: z.boolean(),
      oidc: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .describe("Providers of OpenID Connect."),
      claimable: z
        .boolean()
        .describe("No person exists yet: the first one signs up with the claim code."),
      jurisdictions: jurisdictions.optional().describe("Of the first team. Absent once claimed."),
    })
    .meta({
      example: {
        password: true,
        passkey: true,
        google: false,
        github: false,
        oidc: [{ id: "acme", name: "Acme" }],
        claimable: false,
      },
    }),
})

export const signInWithPassword = endpoint({
  ...visitor,
  name: "signIn.email",
  call: "POST /sign-in/email",
  summary: "Sign in with email and password",
  description:
    "Sets the session's cookie. For a person with an authenticator app, `user` is null: the cookie is that of `POST /sign-in/second-factor`, for ten minutes.",
  example: () => ({ email: "owner@example.com", password: "correct horse battery" }),
  json: signInInput,
  refuses: { unauthorized: "Wrong email or password.", rate_limited: "Too many attempts." },
  response: z.object({ user: user.nullable() }),
})

export const startPasskeySignIn = endpoint({
  ...visitor,
  name: "signIn.passkeyOptions",
  call: "POST /passkey/options",
  summary: "Start a sign-in with a passkey",
  description:
    "The reply is the argument of `navigator.credentials.get({publicKey})`, with binary values in base64url: `PublicKeyCredential.parseRequestOptionsFromJSON` reads it. It sets a cookie for five minutes.",
  refuses: { rate_limited: "Too many attempts." },
  response: z.record(z.string(), z.unknown()),
})

export const signInWithPasskey = endpoint({
  ...visitor,
  name: "signIn.passkey",
  call: "POST /passkey/verify",
  summary: "Sign in with a passkey",
  description: "`response` is the credential's `toJSON()`. Sets the session's cookie.",
  json: z.object({
    response: z.looseObject({
      id: credentialId,
      rawId: credentialId,
      type: z.literal("public-key"),
      clientExtensionResults: z.looseObject({}).default({}),
      response: z.looseObject({
        clientDataJSON: z.string(),
        authenticatorData: z.string(),
        signature: z.string(),
      }),
    }),
  }),
  refuses: {
    unauthorized: "Unknown passkey, or the sign-in took longer than five minutes.",
    rate_limited: "Too many attempts.",
  },
  response: signedIn,
})

export const startSocialSignIn = endpoint({
  ...visitor,
  name: "signIn.social",
  call: "POST /sign-in/social",
  summary: "Start a sign-in with Google, GitHub or a provider of OpenID Connect",
  description: `Sets a cookie and answers the URL to go to. The provider leads back to \`/dashboard\`, or to \`/dashboard/sign-in?error=\` with one of ${SOCIAL_ERRORS.map((code) => `\`${code}\``).join(", ")}. Only people with an account, or with an invitation to the same address, may sign in.`,
  json: z.object({
    provider: z.string().max(32).describe("`google`, `github`, or the id of one in `oidc`."),
  }),
  refuses: {
    not_found: "The provider is not set up.",
    rate_limited: "Too many attempts.",
    unavailable: "The provider does not answer.",
  },
  response: z.object({ url: z.string() }),
})

export const requestPasswordReset = endpoint({
  ...visitor,
  name: "passwordReset.request",
  call: "POST /password-reset",
  summary: "Ask for a link that sets a new password",
  description:
    "The reply is the same whether or not somebody has this address. The link leads to `/dashboard/reset-password#token=…` and works once, for two hours.",
  json: z.object({ email: bareAddress }),
  refuses: { rate_limited: "Too many attempts." },
  status: 202,
  response: z.object({ sent: z.literal(true) }),
})

export const resetPassword = endpoint({
  ...visitor,
  name: "passwordReset.complete",
  call: "POST /password-reset/complete",
  summary: "Set a new password with the token of the link",
  description: "Ends all of the person's sessions; sign in afterwards.",
  json: z.object({ token, password: newPassword }),
  refuses: {
    not_found: "The link is unknown, used or older than two hours.",
    rate_limited: "Too many attempts.",
  },
})

export const claimInstallation = endpoint({
  ...visitor,
  name: "claim",
  call: "POST /claim",
  summary: "Create the first person and team of an installation",
  description:
    "`code` is what the deployment printed, the secret `CLAIM_CODE`, or what the Worker's log shows once somebody asks for the methods of sign-in. Works once, while no person exists. Sets the session's cookie.",
  json: z.object({
    code: token,
    teamName: ownName(200),
    jurisdiction: jurisdiction.optional(),
    name: ownName(200),
    email: bareAddress,
    password: newPassword,
  }),
  refuses: {
    forbidden: "The code is wrong, used or older than 24 hours.",
    conflict: "Somebody has claimed this installation already.",
    rate_limited: "Too many attempts.",
  },
  status: 201,
  response: signedIn.extend({ team: z.object({ id: z.string(), name: z.string() }) }),
})

export const readInvitation = endpoint({
  ...visitor,
  name: "invitations.read",
  call: "POST /invitations/read",
  summary: "Read an invitation by the token of its link",
  description:
    "The link is `/dashboard/invitation#token=…`. With `hasAccount`, the person signs in first and then accepts.",
  json: z.object({ token }),
  refuses: {
    not_found: "The link is unknown, used, revoked or older than seven days.",
    rate_limited: "Too many attempts.",
  },
  response: z
    .object({
      team: z.object({ id: z.string(), name: z.string() }),
      email: z.string(),
      role: z.enum(ROLES),
      invitedBy: z.string().nullable().describe("The name of the person who invited."),
      expiresAt: timestamp,
      hasAccount: z
        .boolean()
        .nullable()
        .describe(
          "A person with this address exists. Null for a copied link: whoever made it may not learn that.",
        ),
      signedInAs: z.string().nullable().describe("The address of the session, if there is one."),
    })
    .meta({
      example: {
        team: { id: exampleId("team"), name: "Our team" },
        email: "ada@example.com",
        role: "member",
        invitedBy: "Owner",
        expiresAt: EXAMPLE_TIME,
        hasAccount: false,
        signedInAs: null,
      },
    }),
})

export const acceptInvitation = endpoint({
  ...visitor,
  name: "invitations.accept",
  call: "POST /invitations/accept",
  summary: "Accept an invitation",
  description:
    "Signed in with the invited address: only `token`. Otherwise `name` and `password` create the person, and the reply sets the session's cookie.",
  json: z.object({ token, name: ownName(200).optional(), password: newPassword.optional() }),
  refuses: {
    not_found: "The link is unknown, used, revoked or older than seven days.",
    forbidden: "The session is another address's than the invited one.",
    conflict: "A person with this address exists: sign in first.",
    rate_limited: "Too many attempts.",
  },
  response: signedIn.extend({
    team: z.object({ id: z.string(), name: z.string() }),
    role: z.enum(ROLES),
  }),
})
