import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type { Ctx } from "../../platform/context.ts"
import { isInRange, pageOrder } from "../../platform/http/list.ts"
import type { PageQuery } from "../../platform/http/page.ts"
import { SCAN_LIMIT, selectEndOfScan } from "../../platform/http/scan.ts"
import type { RunState } from "../statuses.ts"
import { sequenceRuns as run } from "../table.ts"

export interface AskedRuns extends PageQuery {
  sequenceId?: string | undefined
  contactId?: string | undefined
  state?: RunState | undefined
  stepKey?: string | undefined
}

const { history: _, ...columns } = getTableColumns(run)

/** States and steps have no index, so a page that asks for them reads a limited number of runs. */
export function selectRunPage(ctx: Ctx, asked: AskedRuns, scan = SCAN_LIMIT) {
  const { state, stepKey, limit } = asked
  const isFiltered = state !== undefined || stepKey !== undefined
  const walk = (size: number) =>
    ctx.db
      .select(columns)
      .from(run)
      .where(isAsked(ctx, asked))
      .orderBy(pageOrder(run.id, asked))
      .limit(size)
  const scanned = walk(isFiltered ? scan : limit + 1).as("scanned")
  const page = ctx.db
    .select()
    .from(scanned)
    .where(
      and(
        state === undefined ? undefined : eq(scanned.state, state),
        stepKey === undefined ? undefined : eq(scanned.stepKey, stepKey),
      ),
    )
    .limit(limit + 1)
  const end = isFiltered ? selectEndOfScan(ctx.db, walk(scan + 1), page, limit, scan) : undefined
  return { page, end }
}

/** By the index of the contact or the sequence: SQLite by itself reads all runs of the team. */
function isAsked({ team }: Ctx, { sequenceId, contactId, ...query }: AskedRuns) {
  const isOfTeam = eq(run.teamId, team)
  const isInPage = isInRange(run.id, "sequenceRun", query)
  const isOfSequence = sequenceId === undefined ? undefined : eq(run.sequenceId, sequenceId)
  if (contactId === undefined)
    return and(isOfTeam, isOfSequence && sql`unlikely(${isOfSequence})`, isInPage)
  const isOfContact = eq(run.contactId, contactId)
  return and(
    isOfTeam,
    sql`${run.id} in (select ${run.id} from sequence_runs indexed by sequence_runs_contact
      where ${and(isOfTeam, isOfContact, isOfSequence, isInPage)})`,
  )
}
