import { and, asc, eq, lte, type Placeholder, type SQL, sql } from "drizzle-orm"
import { MINUTE_MS } from "../../../../lib/time.ts"
import type { Audited, Ctx, ScopeText, Work } from "../../../platform/context.ts"
import { createCtx } from "../../../platform/create-context.ts"
import type { CallerRow } from "../../../platform/db/caller.ts"
import { resultColumns } from "../../../platform/db/columns.ts"
import { DIRECTORY, WrongDatabase } from "../../../platform/db/databases.ts"
import { dashboardRole } from "../../../platform/http/endpoint.ts"
import { ApiError } from "../../../platform/http/errors.ts"
import type { Guarded } from "../../../platform/http/route.ts"
import { REQUIRES_SECOND_FACTOR, TEAM_NAME, teamDatabases, teams } from "../../../teams/table.ts"
import type { Permission } from "../../keys/contract.ts"
import { notInTeam } from "../../team-ctx.ts"
import type { Role, User } from "../contract.ts"
import { ROLES } from "../roles.ts"
import { members, sessions, users } from "../table.ts"
import { sessionEnd } from "./session-limit.ts"

export interface Call {
  session: { token: string; secret: string }
  /** Without an id, the call is for the first of the user's teams. */
  teamId: string | undefined
  endpoint: Guarded
  /** Used for a session that has ended. */
  refuse(): Promise<never>
  /** Notes whose call this was, for the next one. */
  remember(known: { userId: string; teamId: string; database: number }): void
}

/** The context of a call with a session, for a team of the directory or a read of people. */
export function createSessionCtx(work: Work, call: Call, audited?: Audited): Ctx {
  const values = valuesOf(work, call)
  const credential = {
    read: selectMemberships(work, values),
    async check(rows: Membership[]) {
      const { caller, database } = await checkSession(work, rows, call)
      if (database !== DIRECTORY && !call.endpoint.inDirectory) throw new WrongDatabase()
      return caller
    },
    team: () => sql`select ${members.teamId} from ${membershipOf(values)}`,
    user: () => sql`select ${sessions.userId} from ${sessions} where ${isLiveSession(values)}`,
    scope: { text: SCOPE_OF_SESSION, values },
  }
  return createCtx(work, credential, audited)
}

/** The caller of a session, and the database of the team. `work` is that of the directory. */
export const readSessionCaller = async (work: Work, call: Call) =>
  checkSession(work, await selectMemberships(work, valuesOf(work, call)), call)

const valuesOf = (work: Work, { session, teamId }: Call) => ({
  token: session.token,
  now: work.now(),
  teamId: teamId ?? null,
})

async function checkSession(work: Work, rows: Membership[], call: Call) {
  const [first] = rows
  if (!first) return call.refuse()
  const { caller, database } = callerOf(rows, first, call)
  call.remember({ userId: first.id, teamId: caller.team.id, database })
  noteUse(work, call.session.token, first)
  return { caller, database }
}

/** The session and its user, with a row for each of the user's teams. */
const selectMemberships = (work: Work, values: Asked) =>
  work.db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      // A batch answers rows as objects, so two columns with the same name would become one.
      sessionId: sql<string>`${sessions.id}`.as("session_id"),
      usedAt: sessions.updatedAt,
      startedAt: sessions.createdAt,
      secondFactor: sessions.secondFactor,
      requireSecondFactor: sql<number>`${REQUIRES_SECOND_FACTOR}`.as("require_second_factor"),
      role: members.role,
      teamId: members.teamId,
      teamName: sql<string | null>`${TEAM_NAME}`.as("team_name"),
      database: sql<number>`coalesce(${teamDatabases.database}, ${DIRECTORY})`.as("team_database"),
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(members, eq(members.userId, users.id))
    .leftJoin(teams, eq(teams.id, members.teamId))
    .leftJoin(teamDatabases, eq(teamDatabases.teamId, members.teamId))
    .where(isLiveSession(values))
    .orderBy(asc(members.teamId))
type Membership = Awaited<ReturnType<typeof selectMemberships>>[number]

/** Refuses a call that the user may not make in this team. */
function callerOf(rows: Membership[], first: Membership, { session, teamId, endpoint }: Call) {
  const memberships = rows.flatMap(({ role, teamId, teamName, database, requireSecondFactor }) =>
    role && teamId && teamName !== null
      ? [{ role, team: { id: teamId, name: teamName }, database, requireSecondFactor }]
      : [],
  )
  const membership = memberships.find(({ team }) => !teamId || team.id === teamId)
  if (!membership) throw notInTeam()
  const { role, team, database } = membership
  const secondFactor = first.secondFactor !== null
  const secondFactorMissing = Boolean(membership.requireSecondFactor) && !secondFactor
  if (secondFactorMissing && !endpoint.isOwn) throw secondFactorRequired()
  const needed = dashboardRole(endpoint)
  if (!hasRole(role, needed)) throw new ApiError("forbidden", REFUSALS[needed])
  const caller = {
    team,
    permission: permissionOf(role),
    key: null,
    session: {
      ...session,
      id: first.sessionId,
      startedAt: first.startedAt.getTime(),
      user: toUser(first),
      teams: memberships.map(({ role, team }) => ({ ...team, role })),
      role,
      secondFactor,
      secondFactorMissing,
    },
  }
  return { caller, database }
}

const secondFactorRequired = () =>
  new ApiError(
    "forbidden",
    "This team requires a second factor: set one up in your account, or sign in with it.",
    { reason: "second_factor_required" },
  )

const USED_EVERY_MS = 10 * MINUTE_MS

/** Moves the session's end. Runs after the reply, so that a read does not wait for a write. */
function noteUse(work: Work, token: string, { usedAt, startedAt }: Membership): void {
  const now = work.now()
  if (usedAt.getTime() > now - USED_EVERY_MS) return
  work.defer(
    work.db
      .update(sessions)
      .set({ updatedAt: new Date(now), expiresAt: sessionEnd(work, startedAt.getTime()) })
      .where(and(eq(sessions.token, token), lte(sessions.updatedAt, usedAt)))
      .run(),
  )
}

const REFUSALS = {
  owner: "Only an owner of the team may do this.",
  admin: "Only an owner or an admin of the team may do this.",
  member: "Only a member of the team may do this.",
}

/** `teamId` is null for the first of the user's teams. */
interface Asked {
  token: string | Placeholder
  now: number | Placeholder
  teamId: string | null | Placeholder
}

const isLiveSession = ({ token, now }: Asked): SQL =>
  sql`${sessions.token} = ${token} and ${sessions.expiresAt} > ${now}`

const membershipOf = (asked: Asked) => sql`${sessions}
  join ${members} on ${members.userId} = ${sessions.userId}
  where ${isLiveSession(asked)} and ${members.teamId} = coalesce(${asked.teamId}, ${members.teamId})
  order by ${members.teamId} limit 1`

const MEMBERSHIP = membershipOf({
  token: sql.placeholder("token"),
  now: sql.placeholder("now"),
  teamId: sql.placeholder("teamId"),
})

/** Null where the team is in another database. */
const MAY_CALL = sql`(
  select ${sessions.secondFactor} is not null or not ${teams.requireSecondFactor} from ${teams}
  where ${teams.id} = ${members.teamId})`

const SCOPE_OF_SESSION: ScopeText = {
  team: sql<string>`(select ${members.teamId} from ${MEMBERSHIP})`,
  callerRow: sql`select * from (select ${resultColumns({
    ...({
      team_id: members.teamId,
      permission: sql`iif(${members.role} = 'member', 'sending_only', 'full')`,
      domain_id: sql`null`,
      key_id: sql`null`,
    } satisfies CallerRow),
    may: MAY_CALL,
  })} from ${MEMBERSHIP}) where may`,
}

/** Endpoints check the role, and their verbs this permission. */
const permissionOf = (role: Role): Permission => (role === "member" ? "sending_only" : "full")

/** Whether a role has at least the rights of another one. */
const hasRole = (role: Role, needed: Role) => ROLES.indexOf(role) <= ROLES.indexOf(needed)

export const notSignedIn = () => new ApiError("unauthorized", "Sign in first.")

/** The fields of the library's user that the dashboard shows. */
export const toUser = ({ id, email, name }: User): User => ({ id, email, name })

/** The session of a call. The verb is only in the dashboard's API. */
export async function sessionOf(ctx: Ctx) {
  const { session } = await ctx.caller()
  if (!session) throw new Error("A key has no session")
  return session
}

export async function getSession(ctx: Ctx) {
  const { team } = await ctx.caller()
  const { user, role, teams, secondFactor, secondFactorMissing } = await sessionOf(ctx)
  return { team, user, role, secondFactor, secondFactorMissing, teams }
}

export const forgetOldSessions = (work: Work) =>
  work.db.delete(sessions).where(lte(sessions.expiresAt, new Date(work.now())))
