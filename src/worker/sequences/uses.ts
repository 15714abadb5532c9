import { and, eq, inArray, isNull, or, sql } from "drizzle-orm"
import type { Ctx } from "../platform/context.ts"
import { conflict } from "../platform/http/errors.ts"
import { sequences } from "./table.ts"

/** The first sequence that runs, or is paused, and whose trigger, mail or steps name this segment or topic. */
export const selectUse = (ctx: Pick<Ctx, "db" | "team">, id: string) =>
  ctx.db
    .select({ name: sequences.name })
    .from(sequences)
    .where(
      and(
        eq(sequences.teamId, ctx.team),
        inArray(sequences.status, ["active", "paused"]),
        isNull(sequences.deletedAt),
        or(
          eq(sequences.topicId, id),
          sql`instr(${sequences.trigger}, ${id}) > 0`,
          sql`instr(${sequences.steps}, ${id}) > 0`,
        ),
      ),
    )
    .limit(1)

export function refuseUse(use: { name: string } | undefined) {
  if (!use) return
  throw conflict(`The sequence “${use.name}” needs it. Change or archive the sequence first.`)
}
