import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME } from "../../platform/http/example.ts"
import { ownName, timestamp, title } from "../../platform/http/shapes.ts"
import { UNPROVEN, user } from "./contract.ts"
import { newPassword } from "./sign-in/visitors-contract.ts"

const own = {
  access: "session",
  dashboardRole: "member",
  isOwn: true,
  tag: "Profile",
} as const

const STALE = "You signed in more than ten minutes ago: sign in again first."

const profile = z
  .object({
    user,
    hasPassword: z.boolean(),
    providers: z.array(z.string()).describe("Through which the person has signed in."),
    canAddPasskey: z.boolean().describe(`False: ${STALE}`),
  })
  .meta({
    example: {
      user: user.meta()?.example,
      hasPassword: true,
      providers: [],
      canAddPasskey: true,
    },
  })
export type Profile = z.output<typeof profile>

export const getProfile = endpoint({
  ...own,
  name: "profile.get",
  call: "GET /profile",
  inDirectory: true,
  summary: "Read who is signed in, and how they can sign in",
  response: profile,
})

export const updateProfile = endpoint({
  ...own,
  name: "profile.update",
  call: "PATCH /profile",
  summary: "Change one's own name",
  example: () => ({ name: "Ada" }),
  json: z.object({ name: ownName(200) }),
  response: user,
})

export const changePassword = endpoint({
  ...own,
  name: "profile.changePassword",
  call: "POST /profile/password",
  summary: "Change one's own password",
  description: "Ends the person's other sessions.",
  example: () => ({ currentPassword: "the old one", newPassword: "a long new one" }),
  json: z.object({ currentPassword: z.string().max(128), newPassword }),
  refuses: {
    forbidden: `The current password is wrong, or there is none: a reset sets one. ${UNPROVEN}`,
    rate_limited: "Too many attempts.",
  },
})

const session = z
  .object({
    id: z.string(),
    current: z.boolean(),
    device: z.string().describe("Browser and system in words, out of the user agent."),
    ip: z.string().nullable(),
    createdAt: timestamp,
    lastUsedAt: timestamp.describe("Written at most every ten minutes."),
    expiresAt: timestamp,
  })
  .meta({
    example: {
      id: "q3xZ…",
      current: true,
      device: "Firefox on Windows",
      ip: "192.0.2.1",
      createdAt: EXAMPLE_TIME,
      lastUsedAt: EXAMPLE_TIME,
      expiresAt: EXAMPLE_TIME,
    },
  })
export type SessionRecord = z.output<typeof session>

export const listSessions = endpoint({
  ...own,
  name: "sessions.list",
  call: "GET /sessions",
  inDirectory: true,
  summary: "List one's own sessions, the last used first",
  description: "At most 100.",
  response: z.object({ data: z.array(session) }),
})

export const endSession = endpoint({
  ...own,
  name: "sessions.end",
  call: "DELETE /sessions/:id",
  summary: "End one of one's own sessions",
})

export const endSessions = endpoint({
  ...own,
  name: "sessions.endAll",
  call: "DELETE /sessions",
  summary: "Sign out everywhere, here too",
})

const passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    syncs: z.boolean().describe("The passkey is backed up, so it may be on other devices too."),
    createdAt: timestamp,
  })
  .meta({
    id: "Passkey",
    example: { id: "Zr81…", name: "Laptop", syncs: true, createdAt: EXAMPLE_TIME },
  })
export type Passkey = z.output<typeof passkey>

export const listPasskeys = endpoint({
  ...own,
  name: "passkeys.list",
  call: "GET /passkeys",
  inDirectory: true,
  summary: "List one's own passkeys, newest first",
  response: z.object({ data: z.array(passkey) }),
})

export const startPasskey = endpoint({
  ...own,
  name: "passkeys.options",
  call: "POST /passkeys/options",
  summary: "Start to add a passkey",
  description:
    "The reply is the argument of `navigator.credentials.create({publicKey})`, with binary values in base64url: `PublicKeyCredential.parseCreationOptionsFromJSON` reads it. It sets a cookie for five minutes.",
  refuses: { forbidden: `${STALE} ${UNPROVEN}`, conflict: "The person has 20 passkeys." },
  response: z.record(z.string(), z.unknown()).meta({ example: { challenge: "bm9uY2U" } }),
})

export const createPasskey = endpoint({
  ...own,
  name: "passkeys.create",
  call: "POST /passkeys",
  summary: "Add a passkey",
  description: "`response` is the credential's `toJSON()`.",
  maxBytes: 64 * 1024,
  example: () => ({ name: "Laptop", response: { id: "bm9uY2U" } }),
  json: z.object({ name: title(100), response: z.looseObject({ id: z.string().max(1400) }) }),
  refuses: {
    validation_error: "The answer does not belong to the challenge, or five minutes have passed.",
    forbidden: `${STALE} ${UNPROVEN}`,
  },
  status: 201,
  response: passkey,
})

export const renamePasskey = endpoint({
  ...own,
  name: "passkeys.update",
  call: "PATCH /passkeys/:id",
  summary: "Rename one of one's own passkeys",
  example: () => ({ name: "Laptop" }),
  json: z.object({ name: title(100) }),
  response: passkey,
})

export const deletePasskey = endpoint({
  ...own,
  name: "passkeys.remove",
  call: "DELETE /passkeys/:id",
  summary: "Remove one of one's own passkeys",
  refuses: { forbidden: UNPROVEN, conflict: "It is the person's only way to sign in." },
})
