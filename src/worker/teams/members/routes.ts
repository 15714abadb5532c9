import type { Hono } from "hono"
import { visit } from "../../access/people/visit.ts"
import * as visitors from "../../access/people/visitors-contract.ts"
import { type HttpEnv, route } from "../../platform/http/route.ts"
import { acceptInvitation, readInvitation } from "./accept-invitation.ts"
import * as contract from "./contract.ts"
import * as invitations from "./invitations.ts"
import * as invited from "./invitations-contract.ts"
import * as members from "./members.ts"
import { requestPasswordReset, resetPassword } from "./reset.ts"

export function memberRoutes(app: Hono<HttpEnv>): void {
  route(app, contract.listTeams, ({ people }) => members.listTeams(people))
  route(app, contract.createTeam, ({ people }, { json }) => members.createTeam(people, json))
  route(app, contract.leaveTeam, ({ people }) => members.leaveTeam(people))
  route(app, contract.listMembers, ({ people }, { query }) => members.listMembers(people, query))
  route(app, contract.updateMember, ({ people }, { params, json }) =>
    members.updateMember(people, params.id, json),
  )
  route(app, contract.removeMember, ({ people }, { params }) =>
    members.removeMember(people, params.id),
  )
  route(app, invited.createInvitation, (ctx, { json }) => invitations.createInvitation(ctx, json))
  route(app, invited.listInvitations, ({ people }, { query }) =>
    invitations.listInvitations(people, query),
  )
  route(app, invited.resendInvitation, (ctx, { params }) =>
    invitations.resendInvitation(ctx, params.id),
  )
  route(app, invited.revokeInvitation, ({ people }, { params }) =>
    invitations.revokeInvitation(people, params.id),
  )
}

/** The calls behind the links in mail. */
export function linkRoutes(app: Hono<HttpEnv>): void {
  visit(app, visitors.requestPasswordReset, (visitor, { json }) =>
    requestPasswordReset(visitor, json),
  )
  visit(app, visitors.resetPassword, (visitor, { json }) => resetPassword(visitor, json))
  visit(app, visitors.readInvitation, (visitor, { json }) => readInvitation(visitor, json))
  visit(app, visitors.acceptInvitation, (visitor, { json }) => acceptInvitation(visitor, json))
}
