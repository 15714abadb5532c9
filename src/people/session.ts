import { asc, eq, lte, type Placeholder, type SQL, sql } from "drizzle-orm"
import type { ScopeText } from "../db/fixed.ts"
import type { Ctx, Work } from "../env.ts"
import { openCtx } from "../http/ctx.ts"
import { dashboardRole } from "../http/endpoint.ts"
import { ApiError } from "../http/errors.ts"
import type { Guarded } from "../http/route.ts"
import type { Permission } from "../keys/contract.ts"
import { teams } from "../teams/table.ts"
import { ROLES, type Role, type User } from "./contract.ts"
import { members, sessions, users } from "./table.ts"

/**
 * The context of a call with a session. Without `teamId`, the call is for the first of the user's
 * teams.
 */
export function openSessionCtx(
  work: Work,
  token: string,
  teamId: string | undefined,
  endpoint: Guarded,
): Ctx {
  const values = { token, now: work.now(), teamId: teamId ?? null }
  const read = work.db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      role: members.role,
      teamId: members.teamId,
      teamName: sql<string>`${teams.name}`.as("team_name"),
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(members, eq(members.userId, users.id))
    .leftJoin(teams, eq(teams.id, members.teamId))
    .where(isLiveSession(values))
    .orderBy(asc(members.teamId))

  return openCtx(work, {
    read,
    check(rows) {
      const [first] = rows
      if (!first) throw notSignedIn()
      const places = rows.flatMap(({ role, teamId, teamName }) =>
        role && teamId ? [{ role, team: { id: teamId, name: teamName } }] : [],
      )
      const place = places.find(({ team }) => !teamId || team.id === teamId)
      if (!place) throw new ApiError("forbidden", "You are not in this team.")
      if (ROLES.indexOf(place.role) > ROLES.indexOf(dashboardRole(endpoint))) {
        throw new ApiError("forbidden", "Only an owner or an admin of the team may do this.")
      }
      const session = { token, user: toUser(first), teams: places.map(({ team }) => team) }
      return {
        team: place.team,
        permission: permissionOf(place.role),
        key: null,
        session: { ...session, role: place.role },
      }
    },
    team: sql`select ${members.teamId} from ${placeOf(values)}`,
    scope: { text: SCOPE_OF_SESSION, values },
  })
}

/** What the place of a session is found by: `teamId` is null for the first of the user's teams. */
interface Asked {
  token: string | Placeholder
  now: number | Placeholder
  teamId: string | null | Placeholder
}

const isLiveSession = ({ token, now }: Asked): SQL =>
  sql`${sessions.token} = ${token} and ${sessions.expiresAt} > ${now}`

const placeOf = (asked: Asked) => sql`${sessions}
  join ${members} on ${members.userId} = ${sessions.userId}
  where ${isLiveSession(asked)} and ${members.teamId} = coalesce(${asked.teamId}, ${members.teamId})
  order by ${members.teamId} limit 1`

const PLACE = placeOf({
  token: sql.placeholder("token"),
  now: sql.placeholder("now"),
  teamId: sql.placeholder("teamId"),
})

const SCOPE_OF_SESSION: ScopeText = {
  team: sql<string>`(select ${members.teamId} from ${PLACE})`,
  callerRow: sql`
    select ${members.teamId} as team_id, null as domain_id,
      iif(${members.role} = 'member', 'sending_only', 'full') as permission
    from ${PLACE}`,
}

/** The permission of a role, in addition to the role that the endpoint requires. */
const permissionOf = (role: Role): Permission => (role === "member" ? "sending_only" : "full")

export const notSignedIn = () => new ApiError("unauthorized", "Sign in to call this.")

/** The fields of the library's user that the dashboard shows. */
export const toUser = ({ id, email, name }: User): User => ({ id, email, name })

export async function getSession(ctx: Ctx) {
  const { team, session } = await ctx.caller()
  if (!session) throw new Error("A key has no session")
  const { user, role, teams } = session
  return { team, user, role, teams }
}

export const forgetOldSessions = (work: Work) =>
  work.db.delete(sessions).where(lte(sessions.expiresAt, new Date(work.now())))
