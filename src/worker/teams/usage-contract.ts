import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"

/** As in the triggers of the database. */
export const MAX_ROWS_OF_TEAM = 1_000
export const MAX_FORMS_OF_TEAM = 100
export const MAX_IMAGE_BYTES_OF_TEAM = 1_000_000_000

const KINDS = [
  "templates",
  "templateDrafts",
  "layouts",
  "campaignDrafts",
  "contactBooks",
  "segments",
  "forms",
  "domains",
  "images",
  "imageBytes",
] as const

const usage = z
  .object({ data: z.array(z.object({ of: z.enum(KINDS), used: z.int(), limit: z.int() })) })
  .meta({ example: { data: [{ of: "templates", used: 12, limit: MAX_ROWS_OF_TEAM }] } })
export type Usage = z.output<typeof usage>

export const getUsage = endpoint({
  access: "session",
  tag: "Dashboard",
  name: "team.usage",
  call: "GET /team/usage",
  dashboardRole: "member",
  summary: "Read what the team has, and what it may have",
  description: "What is above a limit is refused with `conflict`.",
  response: usage,
})
