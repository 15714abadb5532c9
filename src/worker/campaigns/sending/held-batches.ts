import {
  and,
  asc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm"
import { enqueueSends } from "../../emails/queue.ts"
import type { Work } from "../../platform/context.ts"
import { commit } from "../../platform/db/commit.ts"
import type { CampaignRef } from "../messages.ts"
import { anyCampaign, hasStatus } from "../run/move.ts"
import type { CampaignStatus } from "../statuses.ts"
import { campaignBatches, campaignRuns, heldBatches } from "../table.ts"
import { isRun } from "../view.ts"

type Batches = typeof campaignBatches

const BATCHES_A_STEP = 50

/** Takes some batches of a paused campaign out of sending. Answers whether there were any. */
export const holdBatches = (work: Work, ref: CampaignRef): Promise<boolean> =>
  moveBatches(work, ref, [campaignBatches, heldBatches], isNotNull(campaignRuns.pausedReason))

/** Gives some held batches back to sending. Answers whether there were any. */
export async function releaseBatches(work: Work, ref: CampaignRef): Promise<boolean> {
  const isResumed = isNull(campaignRuns.pausedReason)
  const isReleased = await moveBatches(work, ref, [heldBatches, campaignBatches], isResumed)
  await enqueueSends(work, [{ teamId: ref.teamId, notBefore: work.now(), bulk: true }])
  return isReleased
}

async function moveBatches(
  work: Work,
  ref: CampaignRef,
  [from, to]: [Batches, Batches],
  condition: SQL,
): Promise<boolean> {
  const { db } = work
  const isOwnRun = and(isRun(ref.teamId, ref.campaignId), condition)
  const run = db.select({ id: campaignRuns.campaignId }).from(campaignRuns).where(isOwnRun)
  const isNext = inArray(
    from.id,
    db
      .select({ id: from.id })
      .from(from)
      .where(and(isOf(from, ref), exists(run)))
      .orderBy(asc(from.id))
      .limit(BATCHES_A_STEP),
  )
  const { moved } = await commit(work, {
    stored: db.insert(to).select(
      db
        .select()
        .from(from)
        .where(and(isOf(from, ref), isNext)),
    ),
    moved: db
      .delete(from)
      .where(and(isOf(from, ref), isNext))
      .returning({ id: from.id }),
    rested: db
      .update(campaignRuns)
      .set({ dueAt: null })
      .where(and(isOwnRun, not(hasBatches(work, from, ref)), not(hasNextStep(work, ref)))),
  })
  return moved.length > 0
}

/** The run stays due: its fan-out goes on, or it is to be completed. */
function hasNextStep(work: Work, { teamId, campaignId }: CampaignRef): SQL {
  const has = (status: CampaignStatus) =>
    anyCampaign(work, hasStatus({ teamId, id: campaignId }, [status]))
  return or(
    and(has("sending"), isNull(campaignRuns.pausedReason)),
    and(has("sent"), eq(campaignRuns.open, 0), isNull(campaignRuns.completedAt)),
  ) as SQL
}

/** A condition: the campaign has batches in this table. */
export const hasBatches = ({ db }: Work, batches: Batches, ref: CampaignRef) =>
  exists(db.select({ id: batches.id }).from(batches).where(isOf(batches, ref)))

const isOf = (batches: Batches, { teamId, campaignId }: CampaignRef) =>
  and(eq(batches.teamId, teamId), eq(batches.campaignId, campaignId))

/** When a run without further steps is due: now while it has held batches, or never. */
export const whileHeld = (work: Work, ref: CampaignRef) =>
  sql<number | null>`iif(${hasBatches(work, heldBatches, ref)}, ${work.now()}, null)`

/** A row if the campaign has batches in this table. */
export const selectBatch = ({ db }: Work, batches: Batches, ref: CampaignRef) =>
  db.select({ id: batches.id }).from(batches).where(isOf(batches, ref)).limit(1)

export const selectHeld = (work: Work, ref: CampaignRef) => selectBatch(work, heldBatches, ref)
