import { and, eq, ne, type SQL, sql } from "drizzle-orm"
import { newId } from "../../lib/id.ts"
import { sessionOf } from "../access/people/sessions/session.ts"
import type { Ctx } from "../platform/context.ts"
import { insertInto } from "../platform/db/columns.ts"
import { commit } from "../platform/db/commit.ts"
import type { InputOf } from "../platform/http/endpoint.ts"
import { ApiError, conflict, notFound } from "../platform/http/errors.ts"
import { listRecords } from "../platform/http/list.ts"
import type { Page, PageQuery } from "../platform/http/page.ts"
import { auditEntry } from "../teams/audit/entry.ts"
import type * as contract from "./contract.ts"
import { MAX_VIEWS, type SavedView } from "./contract.ts"
import { savedViews } from "./table.ts"

const nameTaken = (name: string) => conflict(`Another view has the name “${name}”.`)

export async function createView(
  ctx: Ctx,
  { name, query }: InputOf<typeof contract.createView>["json"],
): Promise<SavedView> {
  const { team } = await ctx.caller()
  const { user } = await sessionOf(ctx)
  const now = ctx.now()
  const id = newId("savedView", now)
  const times = { createdAt: now, updatedAt: now }
  const view = { id, name, query: JSON.stringify(query), createdBy: user.id, ...times }
  const { created, taken } = await commit(ctx, {
    stored: ctx.db.run(
      insertInto(
        savedViews,
        { ...view, teamId: team.id, nameKey: keyOf(name) },
        sql`where ${isFree(ctx, name, id)}
          and (select count(*) from ${savedViews} where ${eq(savedViews.teamId, team.id)}) < ${MAX_VIEWS}`,
      ),
    ),
    audit: await auditEntry(ctx, "views.create", { id, label: name }),
    created: ctx.db.select().from(savedViews).where(isView(ctx, id)),
    taken: selectNamed(ctx, name, id),
  })
  if (created[0]) return created[0]
  throw taken[0] ? nameTaken(name) : conflict(`A team has at most ${MAX_VIEWS} views.`)
}

export const listViews = (ctx: Ctx, query: PageQuery): Promise<Page<SavedView>> =>
  listRecords(ctx, savedViews, "savedView", query)

export async function updateView(
  ctx: Ctx,
  id: string,
  { name, query }: InputOf<typeof contract.updateView>["json"],
): Promise<SavedView> {
  const isOwn = await isOwnOrManaged(ctx)
  const { updated, known } = await commit(ctx, {
    known: ctx.db.select().from(savedViews).where(isView(ctx, id)),
    updated: ctx.db
      .update(savedViews)
      .set({
        ...(name !== undefined && { name, nameKey: keyOf(name) }),
        ...(query !== undefined && { query }),
        updatedAt: ctx.now(),
      })
      .where(and(isView(ctx, id), isOwn, name === undefined ? undefined : isFree(ctx, name, id)))
      .returning(),
    audit: await auditEntry(ctx, "views.update", { id }),
  })
  if (updated[0]) return updated[0]
  await refuseOthers(ctx, known[0])
  throw nameTaken(name ?? "")
}

export async function deleteView(ctx: Ctx, id: string): Promise<undefined> {
  const isOwn = await isOwnOrManaged(ctx)
  const { deleted, known } = await commit(ctx, {
    known: ctx.db.select().from(savedViews).where(isView(ctx, id)),
    deleted: ctx.db
      .delete(savedViews)
      .where(and(isView(ctx, id), isOwn))
      .returning({ id: savedViews.id }),
    audit: await auditEntry(ctx, "views.delete", { id }),
  })
  if (!deleted[0]) await refuseOthers(ctx, known[0])
  return undefined
}

/** A condition for members; owners and admins need none. */
async function isOwnOrManaged(ctx: Ctx): Promise<SQL | undefined> {
  const { user, role } = await sessionOf(ctx)
  return role === "member" ? eq(savedViews.createdBy, user.id) : undefined
}

async function refuseOthers(ctx: Ctx, view: SavedView | undefined): Promise<void> {
  if (!view) throw notFound("View")
  const { user, role } = await sessionOf(ctx)
  if (role !== "member" || view.createdBy === user.id) return
  throw new ApiError("forbidden", "Only its creator, an owner or an admin may change this view.")
}

const keyOf = (name: string) => name.toLowerCase()

const isView = (ctx: Ctx, id: string) => and(eq(savedViews.teamId, ctx.team), eq(savedViews.id, id))

const selectNamed = (ctx: Ctx, name: string, except: string) =>
  ctx.db
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(
      and(
        eq(savedViews.teamId, ctx.team),
        eq(savedViews.nameKey, keyOf(name)),
        ne(savedViews.id, except),
      ),
    )

const isFree = (ctx: Ctx, name: string, except: string) =>
  sql`not exists ${selectNamed(ctx, name, except)}`
