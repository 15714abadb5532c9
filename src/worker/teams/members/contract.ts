import * as z from "zod"
import { user } from "../../access/people/contract.ts"
import { ROLES } from "../../access/people/roles.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"
import { jurisdiction, ownName, timestamp } from "../../platform/http/shapes.ts"

const inDashboard = { access: "session", tag: "Team" } as const
const LAST_OWNER = "The team would be without an owner."
const role = z.enum(ROLES)

const membership = z.object({ id: z.string(), name: z.string(), role, createdAt: timestamp }).meta({
  example: {
    id: exampleId("team"),
    name: "Our team",
    role: "owner",
    createdAt: EXAMPLE_TIME,
  },
})
export type Membership = z.output<typeof membership>

export const listTeams = endpoint({
  ...inDashboard,
  name: "teams.list",
  call: "GET /teams",
  inDirectory: true,
  dashboardRole: "member",
  summary: "List one's own teams, newest first",
  description: "At most 100. The header `x-team-id` of a call chooses one of them.",
  response: z.object({ data: z.array(membership) }),
})

export const createTeam = endpoint({
  ...inDashboard,
  name: "teams.create",
  call: "POST /teams",
  dashboardRole: "owner",
  summary: "Create another team, as its owner",
  refuses: { conflict: "The person is in 100 teams." },
  example: () => ({ name: "Second team" }),
  json: z.object({ name: ownName(200), jurisdiction: jurisdiction.optional() }),
  status: 201,
  response: membership,
})

export const deleteTeam = endpoint({
  ...inDashboard,
  name: "teams.remove",
  call: "POST /team/delete",
  dashboardRole: "owner",
  summary: "Delete the team and all that it has",
  description:
    "`name` is the team's name, typed by the person. At once, no key works, nothing is sent, no webhook is called and nobody is a member. All data is deleted within hours.",
  refuses: { validation_error: "`name` is not the team's name." },
  example: () => ({ name: "Our team" }),
  json: z.object({ name: z.string().max(400) }),
  status: 202,
  response: z.object({ deleted: z.literal(true) }).meta({ example: { deleted: true } }),
})

export const leaveTeam = endpoint({
  ...inDashboard,
  name: "teams.leave",
  call: "POST /team/leave",
  dashboardRole: "member",
  summary: "Leave the team",
  refuses: { conflict: LAST_OWNER },
})

const member = z
  .object({
    id: z.string().describe("The person's id."),
    email: z.string(),
    name: z.string(),
    role,
    createdAt: timestamp.describe("Since when the person is in the team."),
  })
  .meta({
    id: "Member",
    example: { ...(user.meta()?.example as object), role: "admin", createdAt: EXAMPLE_TIME },
  })
export type Member = z.output<typeof member>

export const listMembers = endpoint({
  ...inDashboard,
  name: "members.list",
  call: "GET /members",
  inDirectory: true,
  dashboardRole: "member",
  summary: "List the team's members, newest account first",
  query: pageQuery,
  response: pageOf(member),
})

export const updateMember = endpoint({
  ...inDashboard,
  name: "members.update",
  call: "PATCH /members/:id",
  dashboardRole: "admin",
  summary: "Change a member's role",
  description: "Only an owner may make somebody an owner, or change an owner's role.",
  refuses: { forbidden: "Only an owner may do this.", conflict: LAST_OWNER },
  example: () => ({ role: "admin" }),
  json: z.object({ role }),
  response: member,
})

export const removeMember = endpoint({
  ...inDashboard,
  name: "members.remove",
  call: "DELETE /members/:id",
  dashboardRole: "admin",
  summary: "Remove a member from the team",
  description: "Only an owner may remove an owner.",
  refuses: { forbidden: "Only an owner may do this.", conflict: LAST_OWNER },
})
