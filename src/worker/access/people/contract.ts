import * as z from "zod"
import type { Role } from "../../platform/context.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { exampleId } from "../../platform/http/example.ts"
import { ROLES } from "./roles.ts"

export type { Role }

/** A passkey replaces the password, so it counts as both factors. */
export const SECOND_FACTORS = ["passkey", "code"] as const

/** Why a change of the ways to sign in answers 403. */
export const UNPROVEN = "The person has a second factor, and the session has not proven it."

export const user = z.object({ id: z.string(), email: z.string(), name: z.string() }).meta({
  id: "User",
  example: { id: exampleId("user"), email: "owner@example.com", name: "Owner" },
})
export type User = z.output<typeof user>

const team = z
  .object({ id: z.string(), name: z.string() })
  .meta({ example: { id: exampleId("team"), name: "Our team" } })

/** Below `/dashboard/auth`, without a session. */
export const signInInput = z.object({ email: z.string().max(320), password: z.string().max(128) })

export const getSession = endpoint({
  name: "session",
  call: "GET /session",
  access: "session",
  dashboardRole: "member",
  isOwn: true,
  tag: "Dashboard",
  summary: "Who is signed in, in which team and as what",
  description: "`teams` are all of the user's; the header `x-team-id` chooses one for a call.",
  response: z.object({
    user,
    team,
    role: z.enum(ROLES),
    secondFactor: z
      .boolean()
      .describe("The person signed in with a passkey, or with a code beside the password.")
      .meta({ example: true }),
    secondFactorMissing: z
      .boolean()
      .describe("The team requires a second factor. Until then, its other calls answer 403.")
      .meta({ example: false }),
    teams: z.array(
      team.extend({ role: z.enum(ROLES) }).meta({
        example: { id: exampleId("team"), name: "Our team", role: "owner" },
      }),
    ),
  }),
})
