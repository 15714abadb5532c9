import { asc, eq, lte, sql } from "drizzle-orm"
import type { Ctx, Work } from "../env.ts"
import { dashboardRole, type Endpoint } from "../http/endpoint.ts"
import { ApiError } from "../http/errors.ts"
import { teams } from "../teams/table.ts"
import { openAuth } from "./auth.ts"
import { ROLES, type User } from "./contract.ts"
import { members, sessions } from "./table.ts"

/** The context of a call with a session's cookie: its user's team, with the rights of a full key. */
export async function openSessionCtx(
  work: Work,
  headers: Headers,
  endpoint: Pick<Endpoint, "method" | "dashboardRole">,
): Promise<Ctx> {
  const auth = await openAuth(work)
  const session = await auth.api.getSession({ headers, query: { disableRefresh: true } })
  if (!session) throw new ApiError("unauthorized", "Sign in to call this.")
  const user = toUser(session.user)
  const memberships = await membershipsOf(work, user.id)
  const teamId = headers.get("x-team-id")
  const membership = memberships.find(({ team }) => !teamId || team.id === teamId)
  if (!membership) throw new ApiError("forbidden", "You are not in this team.")
  const { team, role } = membership
  if (ROLES.indexOf(role) > ROLES.indexOf(dashboardRole(endpoint))) {
    throw new ApiError("forbidden", "Only an owner or an admin of the team may do this.")
  }
  const caller = {
    team,
    key: null,
    session: { user, role, teams: memberships.map(({ team }) => team) },
  }
  return {
    ...work,
    team: sql`${team.id}`,
    callerRow: sql`select ${team.id} as team_id, 'full' as permission, null as domain_id`,
    caller: async () => caller,
    batch: (queries) => work.db.batch(queries),
  }
}

/** Of what the library knows of a user, what the dashboard shows. */
export const toUser = ({ id, email, name }: User): User => ({ id, email, name })

const membershipsOf = (work: Work, userId: string) =>
  work.db
    .select({ role: members.role, team: { id: teams.id, name: teams.name } })
    .from(members)
    .innerJoin(teams, eq(teams.id, members.teamId))
    .where(eq(members.userId, userId))
    .orderBy(asc(members.teamId))

export async function getSession(ctx: Ctx) {
  const { team, session } = await ctx.caller()
  if (!session) throw new Error("A key has no session")
  return { team, ...session }
}

export const forgetOldSessions = (work: Work) =>
  work.db.delete(sessions).where(lte(sessions.expiresAt, new Date(work.now())))
