import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm"
import { contacts } from "../../contacts/table.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { isInRange, pageOrder } from "../../platform/http/list.ts"
import { type PageQuery, toPage } from "../../platform/http/page.ts"
import { isAskedRun, sequenceRuns as run, sequences } from "../table.ts"
import type { listRunRows as contract } from "./dashboard-contract.ts"

export async function listRunRows(
  ctx: Ctx,
  {
    sequenceId,
    contactId,
    stepKey,
    state,
    ...query
  }: InputOf<typeof contract>["query"] & PageQuery,
): Promise<OutputOf<typeof contract>> {
  const [rows] = await ctx.batch([
    ctx.db
      .select({
        ...getTableColumns(run),
        bookId: sequences.bookId,
        sequenceName: sequences.name,
        email: contacts.email,
      })
      .from(run)
      .innerJoin(sequences, and(eq(sequences.teamId, run.teamId), eq(sequences.id, run.sequenceId)))
      .leftJoin(
        contacts,
        and(
          eq(contacts.teamId, run.teamId),
          eq(contacts.bookId, sequences.bookId),
          eq(contacts.id, run.contactId),
        ),
      )
      .where(
        and(
          isAskedRun(ctx.team, {
            sequenceId,
            contactId,
            isInPage: (column) => isInRange(column, "sequenceRun", query),
          }),
          isNull(sequences.deletedAt),
          state && sql`unlikely(${eq(run.state, state)})`,
          stepKey === undefined ? undefined : sql`unlikely(${eq(run.stepKey, stepKey)})`,
        ),
      )
      .orderBy(pageOrder(run.id, query))
      .limit(query.limit + 1),
  ])
  return toPage(rows, query.limit)
}
