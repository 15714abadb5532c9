import { and, eq, isNull, lt, sql } from "drizzle-orm"
import { log, logError } from "../../../lib/log.ts"
import { DAY_MS, MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseEnv } from "../../platform/db/databases.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { applyChanges } from "./changes.ts"
import { copyHistoryPage, copyLiveRows } from "./copy.ts"
import { findDifference } from "./counts.ts"
import { deleteRows } from "./delete-rows.ts"
import { enqueueMoves } from "./enqueue.ts"
import { type Holder, holdMove, isHeldBy, LostMove } from "./holder.ts"
import { checkPlace, isClosed, isDeleted, isGone } from "./place.ts"
import { closeFence, holdFences, lowerFence, raiseFence } from "./raise-fence.ts"
import { switchDirectory } from "./switch.ts"
import { type Phase, teamMoves } from "./table.ts"
import { hasHistory, hasLiveRows, MOVED_TABLES } from "./tables.ts"

/** The source is kept for a while, in case that something is missing. */
export const KEPT_MS = DAY_MS
/** With fewer changes left, the fence is short. */
const FEW_CHANGES = 100
/** Behind the fence, queries for each table, whatever the size. An invocation may make a thousand. */
const FENCE_QUERIES = 450
/** After faults of this time, the team goes on in the source. */
const LONGEST_FENCE_MS = MINUTE_MS
const AGAIN_AFTER_FAULT_SECONDS = 5

const HISTORY = MOVED_TABLES.filter(hasHistory)
const LIVE = MOVED_TABLES.filter(hasLiveRows)

/** Goes on with a move, and says whether more is to do at once. */
export async function advanceMove(work: Work, teamId: string): Promise<boolean> {
  const holder = await holdMove(work, teamId)
  if (!holder) return false
  try {
    await holdFences(holder)
    while (holder.hasBudget()) {
      const progress = await STEPS[holder.row().phase](work, holder)
      if (progress !== "goes on") return progress === "goes on later"
    }
    return true
  } catch (error) {
    if (error instanceof LostMove) return false
    await afterFault(work, holder, error)
    return false
  } finally {
    await holder.store({ heldUntil: 0 }).catch(() => {})
  }
}

/** `goes on later`: with another invocation. */
type Progress = "goes on" | "goes on later" | "waits"

/** Each step can be repeated. */
type Step = (work: Work, holder: Holder) => Promise<Progress>

const STEPS: Record<Phase, Step> = {
  emptying: empty,
  copying: copy,
  fenced: finishCopy,
  switched: open,
  kept: keep,
  deleting: deleteSource,
  cancelling: cancel,
}

/** An earlier attempt may have left rows in the target. */
async function empty(work: Work, holder: Holder): Promise<Progress> {
  const { source, target } = holder.row()
  if (await isGone(holder, holder.source)) return takeBackDeleted(holder)
  await checkPlace(work, holder, source)
  await raiseFence(holder, holder.target, "closed", target === DIRECTORY)
  if (!(await deleteRows(holder, holder.target, target, MOVED_TABLES))) return "goes on"
  await raiseFence(holder, holder.source, "log", source === DIRECTORY)
  await holder.store({ phase: "copying", position: { table: 0, after: null } })
  return "goes on"
}

/** The team works meanwhile. The last pages are those of what it changed. */
async function copy(work: Work, holder: Holder): Promise<Progress> {
  const { position, moved, source } = holder.row()
  const { table, after } = position ?? { table: 0, after: null }
  const described = HISTORY[table]
  if (described) {
    const page = await copyHistoryPage(holder, described, after)
    await holder.store({
      moved: moved + page.count,
      position: page.after ? { table, after: page.after } : { table: table + 1, after: null },
    })
    return "goes on"
  }
  const changed = await applyChanges(holder)
  await holder.store({ moved: moved + changed })
  if (changed >= FEW_CHANGES) return "goes on"
  if (await isGone(holder, holder.source)) return takeBackDeleted(holder)
  await checkPlace(work, holder, source)
  if (!holder.hasBudget(FENCE_QUERIES)) return "goes on later"
  await holder.store({ phase: "fenced", fencedAt: work.now() })
  return "goes on"
}

async function takeBackDeleted(holder: Holder): Promise<Progress> {
  await holder.store({ phase: "cancelling", position: null, lastError: "The team was deleted." })
  return "goes on"
}

/** From here to `open`, nobody writes rows of the team. */
async function finishCopy(work: Work, holder: Holder): Promise<Progress> {
  await checkPlace(work, holder, holder.row().source)
  if (!holder.hasBudget(FENCE_QUERIES)) return "goes on later"
  await closeFence(holder, holder.source)
  if (await isGone(holder, holder.source)) return takeBackDeleted(holder)
  while ((await applyChanges(holder)) > 0) await holder.store({})
  for (const table of LIVE) {
    await copyLiveRows(holder, table)
    await holder.store({})
  }
  const difference = await findDifference(holder)
  if (difference !== null) {
    log("error", { movedTeam: holder.teamId, difference })
    await holder.store({
      phase: "cancelling",
      position: null,
      lastError: `Not moved: ${difference}.`,
    })
    return "goes on"
  }
  await switchDirectory(work, holder)
  await holder.store({ phase: "switched", position: null })
  return "goes on"
}

/** What waited for the fence goes on at once. */
const enqueueMinute = (work: Work, database: number) =>
  enqueueNow(databaseEnv(work.env, database), [{ kind: "minutes" }])

/** The source loses first what a call finds, then what a sweep acts on. */
async function open(work: Work, holder: Holder): Promise<Progress> {
  const { source, target, openedAt } = holder.row()
  if (openedAt !== null && (await isGone(holder, holder.target))) {
    await holder.store({ phase: "deleting", position: null })
    return "goes on"
  }
  await checkPlace(work, holder, target)
  if (openedAt === null) {
    const found = MOVED_TABLES.filter(({ name }) => name === "api_keys" || name === "teams")
    if (!(await deleteRows(holder, holder.source, source, found))) return "goes on"
    await holder.store({ openedAt: work.now(), position: null })
  }
  await lowerFence(holder, holder.target)
  await enqueueMinute(work, target)
  if (!(await deleteRows(holder, holder.source, source, LIVE, { onlyLive: true }))) return "goes on"
  await holder.store({
    phase: "kept",
    position: null,
    deleteAt: sql`coalesce(${teamMoves.deleteAt}, ${work.now() + KEPT_MS})`,
  })
  return "goes on"
}

async function keep(work: Work, holder: Holder): Promise<Progress> {
  if ((holder.row().deleteAt ?? 0) > work.now()) return "waits"
  await holder.store({ phase: "deleting", position: null })
  return "goes on"
}

async function deleteSource(work: Work, holder: Holder): Promise<Progress> {
  const { source, target, thenTo } = holder.row()
  if (!(await isGone(holder, holder.target))) await checkPlace(work, holder, target)
  // A source that was restored has no fence.
  if (!(await isClosed(holder, holder.source))) {
    await raiseFence(holder, holder.source, "closed", source === DIRECTORY)
  }
  if (!(await deleteRows(holder, holder.source, source, MOVED_TABLES))) return "goes on"
  await lowerFence(holder, holder.source)
  if (thenTo === null) return forget(work, holder)
  await holder.store({
    ...{ source: target, target: thenTo, thenTo: null, phase: "emptying", position: null },
    ...{ moved: 0, fencedAt: null, openedAt: null, deleteAt: null, lastError: null },
  })
  return "goes on"
}

/** The team goes on in the source at once. */
async function cancel(work: Work, holder: Holder): Promise<Progress> {
  const { source, target } = holder.row()
  await checkPlace(work, holder, source, ...((await isDeleted(holder)) ? [DIRECTORY] : []))
  await lowerFence(holder, holder.source)
  await enqueueMinute(work, source)
  await raiseFence(holder, holder.target, "closed", target === DIRECTORY)
  if (!(await deleteRows(holder, holder.target, target, MOVED_TABLES))) return "goes on"
  await lowerFence(holder, holder.target)
  return forget(work, holder)
}

/** Unless another move of the team has been asked for meanwhile. */
async function forget(work: Work, holder: Holder): Promise<Progress> {
  const forgotten = await work.directory
    .delete(teamMoves)
    .where(and(isHeldBy(holder), isNull(teamMoves.thenTo)))
    .returning({ teamId: teamMoves.teamId })
  if (forgotten.length > 0) return "waits"
  await holder.store({})
  return "goes on"
}

/** The team does not wait for a database that does not answer. */
async function afterFault(work: Work, holder: Holder, error: unknown): Promise<void> {
  const { phase } = holder.row()
  logError(error, { movedTeam: holder.teamId, phase })
  const lastError = error instanceof Error ? error.message : String(error)
  try {
    await holder.store({ lastError })
    await cancelLongFence(work, holder)
    if (phase !== "kept") await enqueueMoves(work, AGAIN_AFTER_FAULT_SECONDS)
  } catch (second) {
    if (!(second instanceof LostMove)) logError(second, { movedTeam: holder.teamId })
  }
}

/** One statement: the switch may have been committed without an answer, or be on its way. */
const cancelLongFence = (work: Work, holder: Holder) =>
  work.directory
    .update(teamMoves)
    .set({ phase: "cancelling", position: null })
    .where(
      and(
        isHeldBy(holder),
        eq(teamMoves.phase, "fenced"),
        lt(teamMoves.fencedAt, work.now() - LONGEST_FENCE_MS),
      ),
    )
