import * as z from "zod"
import { endpoint } from "../../../platform/http/endpoint.ts"
import { UNPROVEN, user } from "../contract.ts"

const own = {
  access: "session",
  dashboardRole: "member",
  isOwn: true,
  tag: "Profile",
} as const

const RECOVERY_CODES = 10

const WRONG_PASSWORD = "The password is wrong."
const STALE = "The last sign-in was more than ten minutes ago: sign in again first."
const ATTEMPTS = "Too many attempts."

/** Of a person who has one. Without, the last ten minutes must have seen the sign-in. */
const withPassword = z.object({ password: z.string().max(128).optional() })

/** Spaces are how many apps show the code. */
const spaceless = z
  .string()
  .max(32)
  .overwrite((text) => text.replace(/\s/g, ""))
const appCode = spaceless.regex(/^\d{6}$/, "Enter the six digits")
export const withCode = z.object({
  code: spaceless.min(1).describe("The six digits of the app, or a recovery code."),
})

const recoveryCodes = z
  .object({
    recoveryCodes: z
      .array(z.string())
      .describe("Each replaces the app's code once. They are not shown again."),
  })
  .meta({ example: { recoveryCodes: ["g3fTq-9KxLm", "Zr81a-PwQ4v"] } })

export const getSecondFactor = endpoint({
  ...own,
  name: "secondFactor.get",
  call: "GET /second-factor",
  inDirectory: true,
  summary: "Read whether an authenticator app is one's second factor",
  response: z
    .object({
      enabled: z.boolean(),
      recoveryCodesLeft: z.number().int(),
    })
    .meta({ example: { enabled: true, recoveryCodesLeft: 9 } }),
})

export const startSecondFactor = endpoint({
  ...own,
  name: "secondFactor.start",
  call: "POST /second-factor",
  summary: "Start to set up an authenticator app",
  description:
    "The app counts once `POST /second-factor/confirm` has got a code of it. Starting again makes a new secret.",
  example: () => ({ password: "correct horse battery" }),
  json: withPassword,
  bodyOptional: true,
  refuses: {
    validation_error: WRONG_PASSWORD,
    forbidden: `${UNPROVEN} For a person without a password: ${STALE}`,
    conflict: "An app is set up already.",
    rate_limited: ATTEMPTS,
  },
  response: z
    .object({
      uri: z.string().describe("As a QR code, the app reads it: `otpauth://totp/…`."),
      secret: z.string().describe("The same to type, in Base32."),
    })
    .meta({
      example: {
        uri: "otpauth://totp/Edgepost:owner%40example.com?secret=GEZDGNBV&issuer=Edgepost",
        secret: "GEZDGNBV",
      },
    }),
})

export const confirmSecondFactor = endpoint({
  ...own,
  name: "secondFactor.confirm",
  call: "POST /second-factor/confirm",
  summary: "Finish the set-up of an authenticator app with its first code",
  description: `The reply has ${RECOVERY_CODES} recovery codes. It replaces the session and its cookie.`,
  example: () => ({ code: "123456" }),
  json: z.object({ code: appCode }),
  refuses: {
    validation_error: "The code is wrong.",
    forbidden: UNPROVEN,
    conflict: "No set-up was started, or the app is set up already.",
    rate_limited: ATTEMPTS,
  },
  response: recoveryCodes,
})

export const verifySecondFactor = endpoint({
  ...own,
  name: "secondFactor.verify",
  call: "POST /second-factor/verify",
  summary: "Prove the second factor in a session that began without it",
  description: "For a team that requires it, after a sign-in through another service.",
  example: () => ({ code: "123456" }),
  json: withCode,
  refuses: {
    validation_error: "The code is wrong or used.",
    conflict: "No app is set up.",
    rate_limited: ATTEMPTS,
  },
})

export const renewRecoveryCodes = endpoint({
  ...own,
  name: "secondFactor.renewRecoveryCodes",
  call: "POST /second-factor/recovery-codes",
  summary: "Replace one's recovery codes",
  description: "The earlier ones stop working.",
  example: () => ({ password: "correct horse battery" }),
  json: withPassword,
  bodyOptional: true,
  refuses: {
    validation_error: WRONG_PASSWORD,
    forbidden: `${STALE} ${UNPROVEN}`,
    conflict: "No app is set up.",
    rate_limited: ATTEMPTS,
  },
  response: recoveryCodes,
})

export const removeSecondFactor = endpoint({
  ...own,
  name: "secondFactor.remove",
  call: "POST /second-factor/remove",
  summary: "Remove one's authenticator app",
  description: "The recovery codes go, too. It replaces the session and its cookie.",
  example: () => ({ password: "correct horse battery" }),
  json: withPassword,
  bodyOptional: true,
  refuses: {
    validation_error: WRONG_PASSWORD,
    forbidden: `${STALE} ${UNPROVEN}`,
    conflict: "No app is set up.",
    rate_limited: ATTEMPTS,
  },
})

export const signInWithSecondFactor = endpoint({
  access: "visitor",
  tag: "Sign-in",
  maxBytes: 1024,
  name: "signIn.secondFactor",
  call: "POST /sign-in/second-factor",
  summary: "Finish a sign-in with a code of the authenticator app, or a recovery code",
  description: "Sets the session's cookie.",
  example: () => ({ code: "123456" }),
  json: withCode,
  refuses: {
    validation_error: "The code is wrong, expired or used.",
    forbidden:
      "The password was entered more than ten minutes ago, or five codes were wrong: enter it again.",
    rate_limited: ATTEMPTS,
  },
  response: z.object({ user }),
})
