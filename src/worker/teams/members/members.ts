import { and, desc, eq, isNotNull, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { newId } from "../../../lib/id.ts"
import type { Role } from "../../access/people/contract.ts"
import { sessionOf } from "../../access/people/sessions/session.ts"
import { members, users } from "../../access/people/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { DIRECTORY } from "../../platform/db/databases.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../../platform/http/errors.ts"
import { isBelow } from "../../platform/http/list.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../../platform/http/page.ts"
import { keepRemovals } from "../../removals/keep.ts"
import { auditEntry } from "../audit/entry.ts"
import { chooseDatabase, insertTeam, storeElsewhere } from "../choose-database.ts"
import { TEAM_NAME, teamDatabases, teams } from "../table.ts"
import type * as contract from "./contract.ts"
import type { Member, Membership } from "./contract.ts"
import { onlyOwners } from "./invitations.ts"

const MAX_TEAMS = 100

const other = alias(members, "other")

export async function listTeams(ctx: Ctx): Promise<{ data: Membership[] }> {
  const createdAt = sql<number>`coalesce(${teams.createdAt}, ${teamDatabases.createdAt})`
  const [rows] = await ctx.batch([
    ctx.db
      .select({
        id: sql<string>`${members.teamId}`.as("place_id"),
        name: sql<string>`${TEAM_NAME}`.as("place_name"),
        role: members.role,
        createdAt: createdAt.as("place_created_at"),
      })
      .from(members)
      .leftJoin(teams, eq(teams.id, members.teamId))
      .leftJoin(teamDatabases, eq(teamDatabases.teamId, members.teamId))
      .where(and(eq(members.userId, ctx.user), isNotNull(TEAM_NAME)))
      .orderBy(desc(members.teamId))
      .limit(MAX_TEAMS),
  ])
  return { data: rows }
}

export async function createTeam(
  ctx: Ctx,
  { name, jurisdiction }: InputOf<typeof contract.createTeam>["json"],
): Promise<Membership> {
  const { user } = await sessionOf(ctx)
  const team = { id: newId("team", ctx.now()), name, createdAt: ctx.now() }
  const database = await chooseDatabase(ctx, jurisdiction)
  await storeElsewhere(ctx, team, database)
  const owned = ctx.db.$count(members, eq(members.userId, user.id))
  const row = database === DIRECTORY ? teams.id : teamDatabases.teamId
  const { created } = await commit(ctx, {
    created: ctx.db.run(insertTeam(team, database, sql`where ${owned} < ${MAX_TEAMS}`)),
    audit: await auditEntry(ctx, "teams.create", { id: team.id, label: name }),
    joined: ctx.db.run(
      insertInto(
        members,
        { userId: user.id, teamId: row, role: "owner", createdAt: team.createdAt },
        sql`from ${row.table} where ${row} = ${team.id}`,
      ),
    ),
  })
  if (created.meta.changes === 0) throw conflict(`A person is in at most ${MAX_TEAMS} teams.`)
  return { ...team, role: "owner" }
}

const selectMember = (ctx: Ctx) =>
  ctx.db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      role: members.role,
      createdAt: sql<number>`${members.createdAt}`.as("member_since"),
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))

export async function listMembers(ctx: Ctx, { limit, cursor }: PageQuery): Promise<Page<Member>> {
  const [rows] = await ctx.batch([
    selectMember(ctx)
      .where(and(eq(members.teamId, ctx.team), isBelow(members.userId, readCursor("user", cursor))))
      .orderBy(desc(members.userId))
      .limit(limit + 1),
  ])
  return toPage(rows, limit)
}

/** A condition: the team has another owner. */
const hasOtherOwner = (teamId: string, userId: string) => sql`exists (select 1 from members other
  where ${other.teamId} = ${teamId} and ${other.role} = 'owner' and ${other.userId} <> ${userId})`

const lastOwner = () => conflict("The team would be without an owner.")

export async function updateMember(
  ctx: Ctx,
  userId: string,
  { role }: { role: Role },
): Promise<Member> {
  const { team } = await ctx.caller()
  const { role: own } = await sessionOf(ctx)
  const known = await findMember(ctx, userId)
  if (own !== "owner" && [known.role, role].includes("owner")) throw onlyOwners()
  const label = `${known.email} (${role})`
  const { changed } = await commit(ctx, {
    changed: ctx.db
      .update(members)
      .set({ role })
      .where(
        and(
          eq(members.teamId, team.id),
          eq(members.userId, userId),
          eq(members.role, known.role),
          role === "owner" || known.role !== "owner" ? undefined : hasOtherOwner(team.id, userId),
        ),
      )
      .returning({ userId: members.userId }),
    audit: await auditEntry(ctx, "members.update", { id: userId, label }),
  })
  if (!changed[0])
    throw known.role === "owner" ? lastOwner() : conflict("The role has just changed.")
  return { ...known, role }
}

export async function removeMember(ctx: Ctx, userId: string): Promise<undefined> {
  const { role: own } = await sessionOf(ctx)
  const known = await findMember(ctx, userId)
  if (own !== "owner" && known.role === "owner") throw onlyOwners()
  await remove(ctx, "members.remove", known)
}

export async function leaveTeam(ctx: Ctx): Promise<undefined> {
  const { user } = await sessionOf(ctx)
  await remove(ctx, "teams.leave", await findMember(ctx, user.id))
}

/** The statement itself checks for another owner, so two owners cannot leave at the same time. */
async function remove(ctx: Ctx, action: string, { id, email, role }: Member): Promise<void> {
  const { team } = await ctx.caller()
  const isRemovable = and(
    eq(members.teamId, team.id),
    eq(members.userId, id),
    eq(members.role, role),
    role === "owner" ? hasOtherOwner(team.id, id) : undefined,
  )
  const { removed } = await commit(ctx, {
    kept: keepRemovals(
      ctx,
      { teamId: members.teamId, kind: "member", subject: members.userId, removedAt: ctx.now() },
      sql`from ${members} where ${isRemovable}`,
    ),
    removed: ctx.db.delete(members).where(isRemovable).returning({ userId: members.userId }),
    audit: await auditEntry(ctx, action, { id, label: email }),
  })
  if (removed.length === 0)
    throw role === "owner" ? lastOwner() : conflict("The role has just changed.")
}

async function findMember(ctx: Ctx, userId: string): Promise<Member> {
  const { team } = await ctx.caller()
  const [row] = await selectMember(ctx).where(
    and(eq(members.teamId, team.id), eq(members.userId, userId)),
  )
  return orNotFound(row, "Member")
}
