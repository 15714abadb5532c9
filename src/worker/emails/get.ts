import { and, eq } from "drizzle-orm"
import type { Ctx, ScopeText } from "../platform/context.ts"
import { type Placeholders, prepared } from "../platform/db/prepared.ts"
import { orNotFound } from "../platform/http/errors.ts"
import { type EmailRow, emails } from "./table.ts"
import { readPosition, selectTimeline, toTimeline } from "./timeline.ts"
import { toEmail } from "./view.ts"

export async function getEmail(ctx: Ctx, id: string, eventsCursor?: string) {
  const after = readPosition(eventsCursor)
  const [[row], events, hitsOfDay] = await ctx.batch([
    selectEmail(ctx, id),
    ...selectTimeline(ctx, id, after),
  ])
  return { ...toEmail(emailOrNotFound(row)), ...toTimeline(events, hitsOfDay, after) }
}

export const selectEmail = (ctx: Ctx, id: string) => selectById(ctx, { id })

const selectById = prepared((db, { id }: Placeholders<"id">, { team }: ScopeText) =>
  db
    .select()
    .from(emails)
    .where(and(eq(emails.teamId, team), eq(emails.id, id))),
)

export const isEmail = (ctx: Ctx, id: string) => and(eq(emails.teamId, ctx.team), eq(emails.id, id))

export const emailOrNotFound = (row: EmailRow | undefined): EmailRow => orNotFound(row, "Email")
