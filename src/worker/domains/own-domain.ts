import { and, eq } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { domains } from "./table.ts"

export const isDomain = (ctx: Ctx, id: string) =>
  and(eq(domains.teamId, ctx.team), eq(domains.id, id))

export async function isOwnDomain(ctx: Ctx, id: string): Promise<boolean> {
  const [rows] = await ctx.batch([
    ctx.db.select({ id: domains.id }).from(domains).where(isDomain(ctx, id)),
  ])
  return rows.length > 0
}
