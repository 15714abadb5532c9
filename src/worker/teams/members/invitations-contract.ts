import * as z from "zod"
import { ROLES } from "../../access/people/roles.ts"
import { endpoint } from "../../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../../platform/http/example.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"
import { bareAddress, timestamp } from "../../platform/http/shapes.ts"

const inDashboard = { access: "session", dashboardRole: "admin", tag: "Team" } as const

const invitationExample = {
  id: exampleId("invitation"),
  email: "ada@example.com",
  role: "member",
  invitedBy: "Owner",
  createdAt: EXAMPLE_TIME,
  expiresAt: EXAMPLE_TIME,
}

const invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    invitedBy: z.string().nullable().describe("The name of the person who invited."),
    createdAt: timestamp,
    expiresAt: timestamp.describe("Seven days after the link was made."),
  })
  .meta({ id: "Invitation", example: invitationExample })
export type Invitation = z.output<typeof invitation>

const withLink = invitation
  .extend({
    link: z
      .string()
      .describe("To be handed over by hand, too. It is shown once; a new link ends it."),
    mailed: z
      .boolean()
      .describe("Whether the link was mailed. False: there is no verified sender to mail it from."),
  })
  .meta({
    example: {
      ...invitationExample,
      link: "https://mail.example.com/dashboard/invitation#token=…",
      mailed: true,
    },
  })
export type InvitationWithLink = z.output<typeof withLink>

export const createInvitation = endpoint({
  ...inDashboard,
  name: "invitations.create",
  call: "POST /invitations",
  summary: "Invite somebody into the team",
  description:
    "Mails the link, and answers one to copy. Only an owner may invite an owner. The invitation is the team's: it stays valid when the person who made it leaves the team or loses the role, until an owner or admin revokes it or it expires.",
  refuses: {
    forbidden: "Only an owner may invite an owner.",
    conflict: "A member or a pending invitation has this address, or 100 are pending.",
    rate_limited: "A team and a person may invite 50 times a day.",
  },
  example: () => ({ email: "ada@example.com", role: "member" }),
  json: z.object({ email: bareAddress, role: z.enum(ROLES) }),
  status: 201,
  response: withLink,
})

export const listInvitations = endpoint({
  ...inDashboard,
  name: "invitations.list",
  call: "GET /invitations",
  inDirectory: true,
  summary: "List pending invitations, newest first",
  description: "An expired one stays in the list until it is revoked, or for 23 days.",
  query: pageQuery,
  response: pageOf(invitation),
})

export const resendInvitation = endpoint({
  ...inDashboard,
  name: "invitations.resend",
  call: "POST /invitations/:id/resend",
  summary: "Mail a new link, and answer one to copy",
  description: "The links before no longer work.",
  refuses: {
    forbidden: "Only an owner may invite an owner.",
    conflict: "The invitation has expired, and 100 others are pending.",
  },
  response: withLink,
})

export const revokeInvitation = endpoint({
  ...inDashboard,
  name: "invitations.revoke",
  call: "DELETE /invitations/:id",
  summary: "Revoke an invitation",
})
