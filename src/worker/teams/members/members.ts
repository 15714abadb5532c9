import { and, desc, eq, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import type { Role } from "../../access/people/contract.ts"
import { sessionOf } from "../../access/people/session.ts"
import { members, users } from "../../access/people/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { namedBatch } from "../../platform/db/client.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { commit } from "../../platform/db/commit.ts"
import { conflict, orNotFound } from "../../platform/http/errors.ts"
import { isBelow } from "../../platform/http/list.ts"
import { type Page, type PageQuery, readCursor, toPage } from "../../platform/http/page.ts"
import { keepRemovals } from "../../removals/keep.ts"
import { teams } from "../table.ts"
import type { Member, Place } from "./contract.ts"
import { onlyOwners } from "./invitations.ts"

const MAX_TEAMS = 100

const o = alias(members, "o")

export async function listTeams(ctx: Ctx): Promise<{ data: Place[] }> {
  const [rows] = await ctx.batch([
    ctx.db
      .select({
        id: sql<string>`${teams.id}`.as("place_id"),
        name: teams.name,
        role: members.role,
        createdAt: sql<number>`${teams.createdAt}`.as("place_created_at"),
      })
      .from(members)
      .innerJoin(teams, eq(teams.id, members.teamId))
      .where(eq(members.userId, ctx.user))
      .orderBy(desc(members.teamId))
      .limit(MAX_TEAMS),
  ])
  return { data: rows }
}

export async function createTeam(ctx: Ctx, { name }: { name: string }): Promise<Place> {
  const { user } = await sessionOf(ctx)
  const now = ctx.now()
  const id = ctx.newId("team")
  const owned = ctx.db.$count(members, eq(members.userId, user.id))
  const { created } = await namedBatch(ctx, {
    created: ctx.db.run(
      insertInto(teams, { id, name, createdAt: now }, sql`where ${owned} < ${MAX_TEAMS}`),
    ),
    joined: ctx.db.run(
      insertInto(
        members,
        { userId: user.id, teamId: teams.id, role: "owner", createdAt: now },
        sql`from ${teams} where ${teams.id} = ${id}`,
      ),
    ),
  })
  if (created.meta.changes === 0) throw conflict(`A person is in at most ${MAX_TEAMS} teams.`)
  return { id, name, role: "owner", createdAt: now }
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
const hasOtherOwner = (teamId: string, userId: string) => sql`exists (select 1 from members o
  where ${o.teamId} = ${teamId} and ${o.role} = 'owner' and ${o.userId} <> ${userId})`

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
  ctx.notes?.found({ id: userId, label: `${known.email} (${role})` })
  const [changed] = await ctx.db
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
    .returning({ userId: members.userId })
  if (!changed) throw known.role === "owner" ? lastOwner() : conflict("The role has just changed.")
  return { ...known, role }
}

export async function removeMember(ctx: Ctx, userId: string): Promise<undefined> {
  const { role: own } = await sessionOf(ctx)
  const known = await findMember(ctx, userId)
  if (own !== "owner" && known.role === "owner") throw onlyOwners()
  await remove(ctx, known)
}

export async function leaveTeam(ctx: Ctx): Promise<undefined> {
  const { user } = await sessionOf(ctx)
  await remove(ctx, await findMember(ctx, user.id))
}

/** The statement itself checks for another owner, so two owners cannot leave at the same time. */
async function remove(ctx: Ctx, { id, email, role }: Member): Promise<void> {
  const { team } = await ctx.caller()
  ctx.notes?.found({ id, label: email })
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
