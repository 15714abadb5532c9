import { and, eq, sql } from "drizzle-orm"
import { assertMaySendFrom } from "../../access/may-send-from.ts"
import { contacts } from "../../contacts/table.ts"
import type { Ctx } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import type { InputOf, OutputOf } from "../../platform/http/endpoint.ts"
import { conflict, orNotFound } from "../../platform/http/errors.ts"
import { type PageQuery, toPage } from "../../platform/http/page.ts"
import { afterScan, type SearchedPage } from "../../platform/http/scan.ts"
import { flowOf } from "../definition/flow.ts"
import { allSteps, type Step } from "../definition/steps-contract.ts"
import { type Asked, decide } from "../running/decide.ts"
import { readRun } from "../running/due.ts"
import { readShared } from "../running/shared.ts"
import { writeDecisions } from "../running/write.ts"
import { STEP_COUNTS } from "../statuses.ts"
import { type RunRow, sequenceRuns, sequenceSteps, sequences, sequenceVersions } from "../table.ts"
import { isSequence, selectSequence, sequenceOrNotFound } from "../view.ts"
import type * as contract from "./contract.ts"
import type { Run, RunWithHistory } from "./contract.ts"
import { enterSequences } from "./enter.ts"
import { selectRunPage } from "./run-page.ts"

const NOUN = "Run"
const run = sequenceRuns

export async function startRuns(
  ctx: Ctx,
  id: string,
  contactIds: readonly string[],
): Promise<OutputOf<typeof contract.startRuns>> {
  const { team } = await ctx.caller()
  const [[asked]] = await ctx.batch([selectSequence(ctx, team.id, id)])
  await assertMaySendFrom(ctx, sequenceOrNotFound(asked).domainId)
  const distinct = [...new Set(contactIds)]
  const isAsked = sql`${contacts.teamId} = ${team.id} and ${isOneOf(contacts.id, distinct)}
    and ${contacts.bookId} = (select ${sequences.bookId} from ${sequences}
    where ${isSequence(team.id, id)})`
  const { found, started } = await commit(ctx, {
    found: selectSequence(ctx, team.id, id),
    started: enterSequences(
      ctx,
      sql`${isAsked} and ${sequences.id} = ${id} and ${sequences.trigger} ->> 'on' = 'call'`,
    ),
  })
  const row = sequenceOrNotFound(found[0])
  if (row.trigger.on !== "call") throw conflict("The trigger of this sequence is not a call.")
  if (row.status !== "active") throw conflict(`The sequence is not active but ${row.status}.`)
  return { started: started.meta.changes, skipped: contactIds.length - started.meta.changes }
}

export async function listRuns(
  ctx: Ctx,
  id: string,
  query: InputOf<typeof contract.listRuns>["query"] & PageQuery,
  scan?: number,
): Promise<SearchedPage<Run>> {
  const { page, end } = selectRunPage(ctx, { ...query, sequenceId: id }, scan)
  const sequence = selectSequence(ctx, ctx.team, id)
  const [[row], rows, ended] = await ctx.batch(end ? [sequence, page, end] : [sequence, page])
  sequenceOrNotFound(row)
  return afterScan(toPage(rows, query.limit, query.before), ended, query.limit)
}

export async function getRun(ctx: Ctx, id: string): Promise<RunWithHistory> {
  const [[row], [version]] = await ctx.batch([
    ctx.db.select().from(run).where(isRun(ctx, id)),
    ctx.db
      .select({ steps: sequenceVersions.steps })
      .from(run)
      .innerJoin(
        sequenceVersions,
        sql`${eq(sequenceVersions.teamId, run.teamId)} and ${eq(sequenceVersions.sequenceId, run.sequenceId)}
          and ${eq(sequenceVersions.version, run.version)}`,
      )
      .where(isRun(ctx, id)),
  ])
  const found = orNotFound(row, NOUN)
  return { ...found, waitingFor: waitingFor(found, version?.steps ?? []) }
}

function waitingFor(
  { state, stepKey, dueAt, heldReason, waitsFor }: RunRow,
  steps: readonly Step[],
): string | null {
  if (state === "done") return null
  if (state === "held") return `A person: ${heldReason}`
  if (dueAt === null) return "The sequence is paused."
  const at = new Date(dueAt).toISOString()
  if (stepKey === null) return "The first step."
  if (waitsFor !== null) return `The event ${waitsFor}, until ${at}.`
  const kind = flowOf(steps).stepOf(stepKey)?.kind
  return kind === "send" ? `The window to open at ${at}.` : `The wait '${stepKey}' to end at ${at}.`
}

export const endRun = (ctx: Ctx, id: string) => moveRun(ctx, id, "end")
export const skipStep = (ctx: Ctx, id: string) => moveRun(ctx, id, "skip")

async function moveRun(ctx: Ctx, id: string, asked: Asked): Promise<Run> {
  const { team } = await ctx.caller()
  const read = async () => {
    const [[row]] = await ctx.batch([ctx.db.select().from(run).where(isRun(ctx, id))])
    return orNotFound(row, NOUN)
  }
  const due = await readRun(ctx, team.id, id)
  if (!due) {
    await read()
    throw conflict("The run is done.")
  }
  const facts = (await readShared(ctx, [due])).get(due.sequenceId)
  const moved = facts ? await writeDecisions(ctx, [decide(due, facts, ctx.now(), asked)]) : 0
  const after = await read()
  const isEnded = asked === "end" && after.state === "done"
  if (moved === 0 && !isEnded) throw conflict("The run was moved at the same time.")
  return after
}

const isRun = (ctx: Ctx, id: string) => and(eq(run.teamId, ctx.team), eq(run.id, id))

export async function listSteps(
  ctx: Ctx,
  id: string,
): Promise<OutputOf<typeof contract.listSteps>> {
  const [[row], counted] = await ctx.batch([
    selectSequence(ctx, ctx.team, id),
    ctx.db
      .select()
      .from(sequenceSteps)
      .where(and(eq(sequenceSteps.teamId, ctx.team), eq(sequenceSteps.sequenceId, id))),
  ])
  const { steps } = sequenceOrNotFound(row)
  const none = Object.fromEntries(STEP_COUNTS.map((name) => [name, 0])) as StepCounts
  return Object.fromEntries([
    ...allSteps(steps).map(({ key }) => [key, none]),
    ...counted.map((one) => [one.stepKey, one]),
  ])
}

type StepCounts = Record<(typeof STEP_COUNTS)[number], number>
