import { and, eq } from "drizzle-orm"
import { newId } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { listLargeRecords } from "../../platform/http/list.ts"
import type { Page, PageQuery } from "../../platform/http/page.ts"
import { auditEntry } from "../../teams/audit/entry.ts"
import type * as contract from "./contract.ts"
import type { Layout } from "./contract.ts"
import { layouts } from "./table.ts"

const NOUN = "Layout"

export async function createLayout(
  ctx: Ctx,
  input: InputOf<typeof contract.createLayout>["json"],
): Promise<Layout> {
  const { team } = await ctx.caller()
  const now = ctx.now()
  const id = newId("layout", now)
  const { created } = await commit(ctx, {
    created: ctx.db
      .insert(layouts)
      .values({ ...input, id, teamId: team.id, createdAt: now, updatedAt: now })
      .returning(),
    audit: await auditEntry(ctx, "layouts.create", { id, label: input.name }),
  })
  return orNotFound(created[0], NOUN)
}

export const listLayouts = (ctx: Ctx, query: PageQuery): Promise<Page<Layout>> =>
  listLargeRecords(ctx, layouts, "layout", query, { blocks: layouts.blocks })

export async function getLayout(ctx: Ctx, id: string): Promise<Layout> {
  const [[row]] = await ctx.batch([ctx.db.select().from(layouts).where(isLayout(ctx, id))])
  return orNotFound(row, NOUN)
}

export async function updateLayout(
  ctx: Ctx,
  id: string,
  changes: InputOf<typeof contract.updateLayout>["json"],
): Promise<Layout> {
  const { updated } = await commit(ctx, {
    updated: ctx.db
      .update(layouts)
      .set({ ...changes, updatedAt: ctx.now() })
      .where(isLayout(ctx, id))
      .returning(),
    audit: await auditEntry(ctx, "layouts.update", { id }),
  })
  return orNotFound(updated[0], NOUN)
}

export async function deleteLayout(ctx: Ctx, id: string): Promise<undefined> {
  const { deleted } = await commit(ctx, {
    deleted: ctx.db.delete(layouts).where(isLayout(ctx, id)).returning({ id: layouts.id }),
    audit: await auditEntry(ctx, "layouts.remove", { id }),
  })
  orNotFound(deleted[0], NOUN)
}

const isLayout = (ctx: Ctx, id: string) => and(eq(layouts.teamId, ctx.team), eq(layouts.id, id))
