import { and, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { logError } from "../../../lib/log.ts"
import { SECOND_MS } from "../../../lib/time.ts"
import { campaignBatches, heldBatches } from "../../campaigns/table.ts"
import { enqueueSends } from "../../emails/queue.ts"
import type { Work } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import { leaveDatabaseToOthers } from "../../platform/db/leave-to-others.ts"
import { deleteObjects } from "../../platform/db/overflow.ts"
import { enqueueNow } from "../../platform/queues/messages.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { RUNS_ARE_DUE } from "../messages.ts"
import {
  type SequenceRow,
  sequenceBodies,
  sequenceMembers,
  sequenceRuns,
  sequenceSteps,
  sequences,
  sequenceVersions,
} from "../table.ts"
import { isSequence } from "../view.ts"
import { lookAtSegment } from "./segment.ts"

const SEQUENCES_A_SWEEP = 20
/** Pages of one sequence, so that the others get their turn. */
const PAGES_A_SWEEP = 10
const RUNS_A_PAGE = 1_000
const BATCHES_A_PAGE = 50
/** Longer than a look takes. The next minute goes on with one that was broken off. */
const LEASE_MS = 50 * SECOND_MS

/**
 * Looks at sequences themselves: what a change of one means for its runs, its segment, mail that was held,
 * and what a deleted one leaves. Answers whether there was one to look at.
 */
export async function lookAtSequences(work: Work): Promise<boolean> {
  const due = await work.db
    .select({ teamId: sequences.teamId, id: sequences.id, lookAt: sequences.lookAt })
    .from(sequences)
    .where(
      and(lte(sequences.lookAt, work.now()), sql`${sequences.teamId} not in (${FENCED_TEAMS})`),
    )
    .orderBy(sequences.lookAt)
    .limit(SEQUENCES_A_SWEEP)
  for (const found of due) {
    const row = await claimLook(work, found)
    if (row) await lookAt(work, row).catch((error) => logError(error, { sequence: row.id }))
  }
  return due.length > 0
}

/** Nobody else looks meanwhile: consumers that read the same page would only be in each other's way. */
async function claimLook(
  work: Work,
  { teamId, id, lookAt }: Pick<SequenceRow, "teamId" | "id" | "lookAt">,
) {
  const [claimed] = await work.db
    .update(sequences)
    .set({ lookAt: work.now() + LEASE_MS })
    .where(and(isSequence(teamId, id), eq(sequences.lookAt, lookAt ?? 0)))
    .returning()
  return claimed
}

async function lookAt(work: Work, row: SequenceRow): Promise<void> {
  if (row.deletedAt !== null) return deletePages(work, row)
  const isWoken = await wakeRuns(work, row)
  const isReleased = row.status === "paused" || (await releaseMail(work, row))
  const looksAgainAt =
    row.status === "active" && row.trigger.on === "segment"
      ? await lookAtSegment(work, row, PAGES_A_SWEEP)
      : null
  const next = isWoken && isReleased ? looksAgainAt : work.now()
  // A time that was set meanwhile stands.
  await work.db
    .update(sequences)
    .set({ lookAt: next })
    .where(and(isSequence(row.teamId, row.id), eq(sequences.lookAt, row.lookAt ?? 0)))
}

/** Walks through the runs of a sequence. Answers whether it came to the end. */
async function wakeRuns(work: Work, { teamId, id, wake, status }: SequenceRow): Promise<boolean> {
  if (wake === null) return true
  let { cursor } = wake
  for (let page = 0; page < PAGES_A_SWEEP; page++) {
    const runs = await work.db
      .select({ id: sequenceRuns.id })
      .from(sequenceRuns)
      .where(
        and(
          eq(sequenceRuns.teamId, teamId),
          eq(sequenceRuns.sequenceId, id),
          sql`${sequenceRuns.id} > ${cursor}`,
        ),
      )
      .orderBy(sequenceRuns.id)
      .limit(RUNS_A_PAGE)
    const last = runs.at(-1)?.id
    const isEnd = runs.length < RUNS_A_PAGE
    const isOfPage = sql`${sequenceRuns.teamId} = ${teamId} and ${sequenceRuns.sequenceId} = ${id}
      and ${sequenceRuns.id} > ${cursor} and ${sequenceRuns.id} <= ${last ?? ""}`
    const goesOn = or(
      and(
        eq(sequenceRuns.state, "waiting"),
        status === "archived"
          ? undefined
          : or(isNull(sequenceRuns.dueAt), inArray(sequenceRuns.stepKey, wake.keys)),
      ),
      wake.held ? eq(sequenceRuns.state, "held") : undefined,
    )
    const isSameWalk = sql`${sequences.wake} ->> 'cursor' = ${cursor}`
    const { moved } = await commit(work, {
      runs: work.db
        .update(sequenceRuns)
        .set({ state: "waiting", heldReason: null, dueAt: work.now() })
        .where(and(isOfPage, goesOn)),
      moved: work.db
        .update(sequences)
        .set({
          wake: isEnd ? null : sql`json_set(${sequences.wake}, '$.cursor', ${last ?? ""})`,
        })
        .where(and(isSequence(teamId, id), isSameWalk))
        .returning({ id: sequences.id }),
    })
    if (moved.length === 0) return false
    if (isEnd) {
      await enqueueNow(work.env, [RUNS_ARE_DUE])
      return true
    }
    cursor = last ?? ""
    await leaveDatabaseToOthers()
  }
  return false
}

/** Gives held mail back to sending, which holds it again where it has to. */
async function releaseMail(work: Work, { teamId, id }: SequenceRow): Promise<boolean> {
  const isOwn = (batches: typeof heldBatches) =>
    and(eq(batches.teamId, teamId), eq(batches.campaignId, id))
  const next = work.db
    .select({ id: heldBatches.id })
    .from(heldBatches)
    .where(isOwn(heldBatches))
    .orderBy(heldBatches.id)
    .limit(BATCHES_A_PAGE)
  const these = and(isOwn(heldBatches), inArray(heldBatches.id, next)) as SQL
  const { released } = await commit(work, {
    stored: work.db.insert(campaignBatches).select(work.db.select().from(heldBatches).where(these)),
    released: work.db.delete(heldBatches).where(these).returning({ id: heldBatches.id }),
  })
  if (released.length > 0) {
    await enqueueSends(work, [{ teamId, notBefore: work.now(), bulk: true }])
  }
  return released.length < BATCHES_A_PAGE
}

/** Runs first, and the sequence last. */
async function deletePages(work: Work, { teamId, id }: SequenceRow): Promise<void> {
  const isOwn = (table: Record<"teamId" | "sequenceId", SQLiteColumn>) =>
    and(eq(table.teamId, teamId), eq(table.sequenceId, id))
  for (let page = 0; page < PAGES_A_SWEEP; page++) {
    const next = work.db
      .select({ id: sequenceRuns.id })
      .from(sequenceRuns)
      .where(isOwn(sequenceRuns))
      .limit(RUNS_A_PAGE)
    const deleted = await work.db
      .delete(sequenceRuns)
      .where(and(eq(sequenceRuns.teamId, teamId), inArray(sequenceRuns.id, next)))
      .returning({ id: sequenceRuns.id })
    if (deleted.length === RUNS_A_PAGE) {
      await leaveDatabaseToOthers()
      continue
    }
    const bodies = await work.db
      .select({ objectKey: sequenceBodies.objectKey })
      .from(sequenceBodies)
      .where(isOwn(sequenceBodies))
    await deleteObjects(work.env, bodies)
    await work.db.batch([
      work.db.delete(sequenceBodies).where(isOwn(sequenceBodies)),
      work.db.delete(sequenceSteps).where(isOwn(sequenceSteps)),
      work.db.delete(sequenceVersions).where(isOwn(sequenceVersions)),
      work.db.delete(sequenceMembers).where(isOwn(sequenceMembers)),
      work.db.delete(sequences).where(isSequence(teamId, id)),
    ])
    return
  }
}
