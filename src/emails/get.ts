import { and, eq } from "drizzle-orm"
import type { Ctx } from "../env.ts"
import { notFound } from "../http/errors.ts"
import { type EmailRow, emailEvents, emails } from "./table.ts"
import { toEmailWithEvents } from "./view.ts"

export async function getEmail(ctx: Ctx, id: string) {
  const [[row], events] = await ctx.batch([
    selectEmail(ctx, id),
    ctx.db
      .select()
      .from(emailEvents)
      .where(and(eq(emailEvents.teamId, ctx.team), eq(emailEvents.emailId, id))),
  ])
  return toEmailWithEvents(found(row), events)
}

export const selectEmail = (ctx: Ctx, id: string) =>
  ctx.db.select().from(emails).where(isEmail(ctx, id))

export const isEmail = (ctx: Ctx, id: string) => and(eq(emails.teamId, ctx.team), eq(emails.id, id))

export function found(row: EmailRow | undefined): EmailRow {
  if (!row) throw notFound("Email")
  return row
}
