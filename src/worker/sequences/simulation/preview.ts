import { and, eq, ne, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import type { OutputOf } from "../../platform/http/endpoint.ts"
import { relocate } from "../definition/flow.ts"
import type { Step } from "../definition/steps-contract.ts"
import { sequenceRuns } from "../table.ts"
import { selectSequence, sequenceOrNotFound } from "../view.ts"
import type * as contract from "./contract.ts"

/** Runs before their first step stay, since they begin with the new one. */
export async function previewSequence(
  ctx: Ctx,
  id: string,
  steps: readonly Step[],
): Promise<OutputOf<typeof contract.previewSequence>> {
  const [[row], standing] = await ctx.batch([
    selectSequence(ctx, ctx.team, id),
    ctx.db
      .select({ stepKey: sequenceRuns.stepKey, runs: sql<number>`count(*)` })
      .from(sequenceRuns)
      .where(
        and(
          eq(sequenceRuns.teamId, ctx.team),
          eq(sequenceRuns.sequenceId, id),
          ne(sequenceRuns.state, "done"),
        ),
      )
      .groupBy(sequenceRuns.stepKey),
  ])
  const { steps: old } = sequenceOrNotFound(row)
  const runs = standing.reduce((sum, one) => sum + one.runs, 0)
  const moved = standing.flatMap(({ stepKey: from, runs }) => {
    const to = from === null ? null : relocate(old, steps, from)
    return from === null || from === to ? [] : [{ from, to, runs }]
  })
  return { runs, stay: runs - moved.reduce((sum, one) => sum + one.runs, 0), moved }
}
