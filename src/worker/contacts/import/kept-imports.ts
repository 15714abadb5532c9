import { and, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { orNotFound } from "../../platform/http/errors.ts"
import { listRecords } from "../../platform/http/list.ts"
import type { Page, PageQuery } from "../../platform/http/page.ts"
import { contactImports, type KeptImport } from "./table.ts"

/** Of a team: the newest. */
const MAX_KEPT = 100

export async function keepImport(ctx: Ctx, kept: Omit<KeptImport, "teamId">): Promise<void> {
  const { team } = await ctx.caller()
  await ctx.db.batch([
    ctx.db.insert(contactImports).values({ ...kept, teamId: team.id }),
    ctx.db.delete(contactImports).where(
      and(
        eq(contactImports.teamId, team.id),
        sql`${contactImports.id} <= (select id from contact_imports where team_id = ${team.id}
          order by id desc limit 1 offset ${MAX_KEPT})`,
      ),
    ),
  ])
}

export const listImports = (ctx: Ctx, query: PageQuery): Promise<Page<KeptImport>> =>
  listRecords(ctx, contactImports, "contactImport", query)

export async function getImport(ctx: Ctx, id: string): Promise<KeptImport> {
  const [[row]] = await ctx.batch([
    ctx.db
      .select()
      .from(contactImports)
      .where(and(eq(contactImports.teamId, ctx.team), eq(contactImports.id, id))),
  ])
  return orNotFound(row, "Contact import")
}
