import { and, eq } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { domains } from "./table.ts"

export async function isOwnDomain(ctx: Ctx, id: string): Promise<boolean> {
  const [rows] = await ctx.batch([
    ctx.db
      .select({ id: domains.id })
      .from(domains)
      .where(and(eq(domains.teamId, ctx.team), eq(domains.id, id))),
  ])
  return rows.length > 0
}
