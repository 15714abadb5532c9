import * as z from "zod"
import { endpoint } from "../http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../http/example.ts"
import { atLeastOne, timestamp, title } from "../http/shapes.ts"

const fields = z.object({
  name: title(200),
  trackOpens: z
    .boolean()
    .describe("Whether opens are tracked of mail that does not say so itself. At first not."),
  trackClicks: z.boolean().describe("The same for clicks."),
})

const team = fields.extend({ id: z.string(), createdAt: timestamp }).meta({
  id: "Team",
  example: {
    id: exampleId("team"),
    name: "Our team",
    trackOpens: false,
    trackClicks: true,
    createdAt: EXAMPLE_TIME,
  },
})
export type Team = z.output<typeof team>

export const getTeam = endpoint({
  method: "GET",
  path: "/team",
  access: "session",
  dashboardRole: "member",
  tag: "Dashboard",
  summary: "Read the team and its settings",
  status: 200,
  response: team,
})

export const updateTeam = endpoint({
  method: "PATCH",
  path: "/team",
  access: "session",
  tag: "Dashboard",
  summary: "Change the team's name or settings",
  description: "Mail that is handed over from now on keeps to them.",
  example: () => ({ trackOpens: false, trackClicks: true }),
  json: atLeastOne(fields.partial()),
  status: 200,
  response: team,
})
