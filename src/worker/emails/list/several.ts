import { and, desc, eq } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { Email } from "../contract.ts"
import { emails } from "../table.ts"
import { toEmail } from "../view.ts"

export async function readEmails(ctx: Ctx, ids: readonly string[]): Promise<{ data: Email[] }> {
  const [rows] = await ctx.batch([
    ctx.db
      .select()
      .from(emails)
      .where(and(eq(emails.teamId, ctx.team), isOneOf(emails.id, ids)))
      .orderBy(desc(emails.id)),
  ])
  return { data: rows.map(toEmail) }
}
