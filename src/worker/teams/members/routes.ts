import type { Hono } from "hono"
import { visit } from "../../access/people/sign-in/visit.ts"
import * as visitors from "../../access/people/sign-in/visitors-contract.ts"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import * as contract from "./contract.ts"
import * as invited from "./invitations-contract.ts"

/** Loaded when a person uses them: no call of a key needs them. */
const members = () => import("./members.ts")
const invitations = () => import("./invitations.ts")
const invitation = () => import("./accept-invitation.ts")
const reset = () => import("./reset.ts")

export function memberRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listTeams, async ({ people }) => (await members()).listTeams(people))
  route(app, contract.createTeam, async ({ people }, { json }) =>
    (await members()).createTeam(people, json),
  )
  route(app, contract.leaveTeam, async ({ people }) => (await members()).leaveTeam(people))
  route(app, contract.listMembers, async ({ people }, { query }) =>
    (await members()).listMembers(people, query),
  )
  route(app, contract.updateMember, async ({ people }, { params, json }) =>
    (await members()).updateMember(people, params.id, json),
  )
  route(app, contract.removeMember, async ({ people }, { params }) =>
    (await members()).removeMember(people, params.id),
  )
  route(app, invited.createInvitation, async (ctx, { json }) =>
    (await invitations()).createInvitation(ctx, json),
  )
  route(app, invited.listInvitations, async ({ people }, { query }) =>
    (await invitations()).listInvitations(people, query),
  )
  route(app, invited.resendInvitation, async (ctx, { params }) =>
    (await invitations()).resendInvitation(ctx, params.id),
  )
  route(app, invited.revokeInvitation, async ({ people }, { params }) =>
    (await invitations()).revokeInvitation(people, params.id),
  )
}

/** The calls behind the links in mail. */
export function linkRoutes(app: Hono<HttpEnv>): void {
  visit(app, visitors.requestPasswordReset, async (visitor, { json }) =>
    (await reset()).requestPasswordReset(visitor, json),
  )
  visit(app, visitors.resetPassword, async (visitor, { json }) =>
    (await reset()).resetPassword(visitor, json),
  )
  visit(app, visitors.readInvitation, async (visitor, { json }) =>
    (await invitation()).readInvitation(visitor, json),
  )
  visit(app, visitors.acceptInvitation, async (visitor, { json }) =>
    (await invitation()).acceptInvitation(visitor, json),
  )
}
