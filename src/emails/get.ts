import { and, eq } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { found as foundRecord } from "../http/errors.ts"
import { type EmailRow, emails } from "./table.ts"
import { readPosition, selectTimeline, toTimeline } from "./timeline.ts"
import { toEmail } from "./view.ts"

export async function getEmail(ctx: Ctx, id: string, eventsCursor?: string) {
  const after = readPosition(eventsCursor)
  const [[row], events, hitsOfDay] = await ctx.batch([
    selectEmail(ctx, id),
    ...selectTimeline(ctx, id, after),
  ])
  return { ...toEmail(found(row)), ...toTimeline(events, hitsOfDay, after) }
}

export const selectEmail = (ctx: Ctx, id: string) =>
  ctx.db.select().from(emails).where(isEmail(ctx, id))

export const isEmail = (ctx: Ctx, id: string) => and(eq(emails.teamId, ctx.team), eq(emails.id, id))

export const found = (row: EmailRow | undefined): EmailRow => foundRecord(row, "Email")
