import { and, desc, eq } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { emailEvents } from "./table.ts"

/** The entry that happened last. It reads the whole timeline. */
export const selectLastEntry = (ctx: Ctx, emailId: string) =>
  ctx.db
    .select()
    .from(emailEvents)
    .where(and(eq(emailEvents.teamId, ctx.team), eq(emailEvents.emailId, emailId)))
    .orderBy(desc(emailEvents.occurredAt), desc(emailEvents.id))
    .limit(1)
