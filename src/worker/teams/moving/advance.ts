import { and, inArray, isNull } from "drizzle-orm"
import { log, logError } from "../../../lib/log.ts"
import { MINUTE_MS, SECOND_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { databaseEnv, workIn } from "../../platform/db/databases.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { copyTable } from "./copy.ts"
import { deleteRows } from "./delete-rows.ts"
import { KEPT_MS } from "./enqueue.ts"
import { holdFences, lowerFence, raiseFence } from "./fence.ts"
import { type Holder, holdMove, isHeldBy, LostMove } from "./holder.ts"
import { hasLeases } from "./leases.ts"
import { checkPlace, isClosed, isGone } from "./place.ts"
import { switchDirectory } from "./switch.ts"
import { type Phase, teamMoves } from "./table.ts"
import { FINDING_TABLES, MOVED_TABLES, selectFilled } from "./tables.ts"

/** After faults of this time, the team goes on in the source. */
const LONGEST_FAULT_MS = MINUTE_MS
const LEASES_AGAIN_AFTER_SECONDS = 2
const AFTER_FAULT_SECONDS = 5

/** In how many seconds another invocation goes on. Null: none. */
type Wait = number | null

/** Each can be repeated. `goes on`: with the next step, in the same invocation. */
type Step = (work: Work, holder: Holder) => Promise<Wait | "goes on">

const STEPS: Partial<Record<string, Step>> = {
  emptying: empty,
  draining: drain,
  copying: copy,
  switched: open,
  kept: deleteSource,
  deleting: deleteSource,
  cancelling: cancel,
} satisfies Record<Phase, Step>

/** Goes on with a move. Nobody else does so in the first half of its wait. */
export async function advanceMove(work: Work, teamId: string): Promise<Wait> {
  const holder = await holdMove(work, teamId)
  if (!holder) return null
  const wait = await takeSteps(work, holder)
  const heldUntil = work.now() + ((wait ?? 0) * SECOND_MS) / 2
  await holder.store({ heldUntil }).catch(() => {})
  return wait
}

async function takeSteps(work: Work, holder: Holder): Promise<Wait> {
  try {
    // A team goes on in the source also while the target does not answer.
    const isCancelled = holder.row().phase === "cancelling"
    await holdFences(holder, isCancelled ? ["source"] : ["source", "target"])
    await checkPlace(work, holder)
    await checkFence(holder)
    while (holder.hasBudget()) {
      // An earlier version knew other phases before the switch.
      const step = STEPS[holder.row().phase] ?? takeBack
      const wait = await step(work, holder)
      if (wait !== "goes on") return wait
    }
    return 0
  } catch (error) {
    return error instanceof LostMove ? null : afterFault(work, holder, error)
  }
}

/** An earlier version copied rows while the team worked. */
async function checkFence(holder: Holder): Promise<void> {
  if (holder.row().phase !== "copying" || (await isClosed(holder, holder.source))) return
  await takeBackBecause(holder, "Not moved: the team could write.")
}

/** An earlier attempt may have left rows in the target. */
async function empty(_: Work, holder: Holder): ReturnType<Step> {
  await raiseFence(holder, "target", "closed")
  if (!(await deleteRows(holder, "target"))) return 0
  await holder.storePosition(0)
  await holder.store({ phase: "draining" })
  return "goes on"
}

/** Who holds a lease still records what came of it. After that, nobody writes rows of the team. */
async function drain(work: Work, holder: Holder): ReturnType<Step> {
  const { source, fencedAt } = holder.row()
  if (fencedAt === null) await raiseFence(holder, "source", "draining")
  if (await hasLeases(workIn(work, source), holder.teamId)) {
    await holder.storePosition(0)
    return LEASES_AGAIN_AFTER_SECONDS
  }
  await holder.store({ fencedAt: fencedAt ?? work.now() })
  await raiseFence(holder, "source", "closed")
  if (await isGone(holder, holder.source)) {
    return takeBackBecause(holder, "The team was deleted.")
  }
  await holder.storePosition(0)
  await holder.store({ phase: "copying" })
  return "goes on"
}

/** A table that only the target has rows of is compared, too. */
async function copy(work: Work, holder: Holder): ReturnType<Step> {
  const { table: from = 0 } = holder.row().position ?? {}
  const ends = ["source", "target"] as const
  for (const table of await selectFilled(holder, ends, MOVED_TABLES.slice(from))) {
    const difference = await copyTable(holder, table)
    if (difference === undefined) return 0
    if (difference === null) continue
    log("error", { movedTeam: holder.teamId, difference })
    return takeBackBecause(holder, `Not moved: ${difference}.`)
  }
  await switchDirectory(work, holder)
  return "goes on"
}

/** What waited for the fence goes on at once. */
const enqueueMinute = (work: Work, database: number) =>
  enqueueNow(databaseEnv(work.env, database), [{ kind: "minutes" }])

/** The source loses first what calls find the team by. */
async function open(work: Work, holder: Holder): ReturnType<Step> {
  if (holder.row().openedAt === null) {
    if (!(await deleteRows(holder, "source", FINDING_TABLES))) return 0
    await lowerFence(holder, "target")
    await holder.store({ openedAt: work.now(), position: null })
    await enqueueMinute(work, holder.row().target)
  }
  if (!(await deleteRows(holder, "source"))) return 0
  await raiseFence(holder, "source", "left")
  await holder.store({ phase: "kept", position: null, deleteAt: work.now() + KEPT_MS })
  return null
}

/** A source that was restored has rows and no fence. The others have a fence and no rows. */
async function deleteSource(work: Work, holder: Holder): ReturnType<Step> {
  const { target, thenTo } = holder.row()
  await raiseFence(holder, "source", "closed")
  if (!(await deleteRows(holder, "source"))) return 0
  await lowerFence(holder, "source")
  if (thenTo === null) return forget(work, holder)
  await holder.store({
    source: target,
    target: thenTo,
    thenTo: null,
    phase: "emptying",
    position: null,
    moved: 0,
    fencedAt: null,
    openedAt: null,
    deleteAt: null,
    lastError: null,
  })
  return "goes on"
}

const takeBack = (_: Work, holder: Holder) => takeBackBecause(holder, null)

async function takeBackBecause(holder: Holder, lastError: string | null): ReturnType<Step> {
  await holder.store({ phase: "cancelling", position: null, lastError })
  return "goes on"
}

/** The team goes on in the source at once. */
async function cancel(work: Work, holder: Holder): ReturnType<Step> {
  await lowerFence(holder, "source")
  await enqueueMinute(work, holder.row().source)
  await holdFences(holder, ["target"])
  await raiseFence(holder, "target", "closed")
  if (!(await deleteRows(holder, "target"))) return 0
  await lowerFence(holder, "target")
  return forget(work, holder)
}

/** Unless another move of the team has been asked for meanwhile. */
async function forget(work: Work, holder: Holder): ReturnType<Step> {
  const forgotten = await work.directory
    .delete(teamMoves)
    .where(and(isHeldBy(holder), isNull(teamMoves.thenTo)))
    .returning({ teamId: teamMoves.teamId })
  if (forgotten.length > 0) return null
  await holder.store({})
  return "goes on"
}

/** The team does not wait for a database that does not answer. */
async function afterFault(work: Work, holder: Holder, error: unknown): Promise<Wait> {
  const { phase, position } = holder.row()
  logError(error, { movedTeam: holder.teamId, phase })
  const lastError = error instanceof Error ? error.message : String(error)
  try {
    await holder.store({ lastError })
    if (position && position.at < work.now() - LONGEST_FAULT_MS) await cancelStopped(work, holder)
    return AFTER_FAULT_SECONDS
  } catch (second) {
    if (!(second instanceof LostMove)) logError(second, { movedTeam: holder.teamId })
    return null
  }
}

/** One statement: the switch may have been committed without an answer, or be on its way. */
const cancelStopped = (work: Work, holder: Holder) =>
  work.directory
    .update(teamMoves)
    .set({ phase: "cancelling", position: null })
    .where(and(isHeldBy(holder), inArray(teamMoves.phase, ["draining", "copying"])))
