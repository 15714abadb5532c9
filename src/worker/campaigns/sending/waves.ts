import { and, eq, type SQL, sql } from "drizzle-orm"
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core"
import { CLOCKS_APART_MS, MINUTE_MS } from "../../../lib/time.ts"
import { contactBooks } from "../../contacts/table.ts"
import type { Work } from "../../platform/context.ts"
import { ALERT_MIN_SENDS, highRates } from "../../stats/alerts.ts"
import { anyCampaign, hasStatus } from "../run/move.ts"
import { campaignBatches, campaignRuns } from "../table.ts"
import { type CampaignWithRun, isRun } from "../view.ts"
import { selectBatch } from "./held-batches.ts"

/** The share of the book that each wave mails. The rest follows the last wave. */
export const WAVES = [0.01, 0.1]

/** A wave is judged after this time, even if some outcomes have not come. */
export const WAVE_WAIT_MS = 30 * MINUTE_MS

/** Null for a campaign without the brake, and after the last wave. */
const shareOfBook = (row: CampaignWithRun) => (row.brake ? WAVES[row.wave] : undefined) ?? null

/** How many more the running wave may mail. */
export async function leftInWave(work: Work, row: CampaignWithRun): Promise<number> {
  const share = shareOfBook(row)
  if (share === null) return Number.POSITIVE_INFINITY
  const [book] = await work.db
    .select({ size: contactBooks.subscribedCount })
    .from(contactBooks)
    .where(and(eq(contactBooks.teamId, row.teamId), eq(contactBooks.id, row.bookId)))
  const size = Math.max(ALERT_MIN_SENDS, Math.ceil((book?.size ?? 0) * share))
  return size - row.waveRecipients
}

/** Part of the cursor's move: adds a batch's `count` emails, from `firstId` on, to the wave. */
export const enterWave = (row: CampaignWithRun, firstId: string, count: SQL) =>
  shareOfBook(row) !== null && {
    waveFrom: sql`min(${campaignRuns.waveFrom}, ${firstId})`,
    waveRecipients: sql`${campaignRuns.waveRecipients} + ${count}`,
    waveOpen: sql`${campaignRuns.waveOpen} + ${count}`,
  }

/**
 * Waits for the outcomes of a full wave, then starts the next wave or pauses the campaign. The next
 * step holds what a paused campaign has in the queue.
 */
export async function judgeWave(work: Work, row: CampaignWithRun): Promise<"waits" | "goes on"> {
  // A later time was noted by a clock that was ahead.
  const isNoted = row.waveEndedAt !== null && row.waveEndedAt <= work.now() + CLOCKS_APART_MS
  const endedAt = isNoted ? Number(row.waveEndedAt) : work.now()
  if (row.waveOpen > 0 && work.now() < endedAt + WAVE_WAIT_MS) {
    if (!isNoted) await waitFrom(work, row, endedAt)
    return "waits"
  }
  const { waveSent: sent, waveBounced: bounced, waveComplained: complained } = row
  if (sent < ALERT_MIN_SENDS && (await isQueued(work, row))) {
    await waitFrom(work, row, work.now())
    return "waits"
  }
  // Mail that a provider refuses at once may bounce without being sent.
  const [alert] = highRates({ sent, bounced, complained })
  const next = { wave: row.wave + 1, ...NO_WAVE }
  if (!alert) {
    await moveOn(work, row, next)
    return "goes on"
  }
  const percent = (alert.rate * 100).toFixed(1)
  const pausedReason = `${alert.kind} rate of ${percent} % in a wave of ${row.waveRecipients} recipients`
  await moveOn(work, row, { ...next, pausedReason, dueAt: work.now() })
  return "goes on"
}

const waitFrom = (work: Work, row: CampaignWithRun, waveEndedAt: number) =>
  moveOn(work, row, {
    waveEndedAt,
    // The last outcome may have come meanwhile, before anything waited for it.
    dueAt: sql`iif(${campaignRuns.waveOpen} > 0, ${waveEndedAt + WAVE_WAIT_MS}, ${work.now()})`,
  })

/** A provider that is down takes no mail of the wave. */
async function isQueued(work: Work, { teamId, id, waveOpen }: CampaignWithRun): Promise<boolean> {
  if (waveOpen === 0) return false
  return (await selectBatch(work, campaignBatches, { teamId, campaignId: id })).length > 0
}

const NO_WAVE = {
  waveFrom: "~",
  waveRecipients: 0,
  waveOpen: 0,
  waveSent: 0,
  waveBounced: 0,
  waveComplained: 0,
  waveEndedAt: null,
}

const moveOn = (
  work: Work,
  row: CampaignWithRun,
  set: SQLiteUpdateSetSource<typeof campaignRuns>,
) =>
  work.db
    .update(campaignRuns)
    .set(set)
    .where(
      and(
        isRun(row.teamId, row.id),
        eq(campaignRuns.wave, row.wave),
        anyCampaign(work, hasStatus(row, ["sending"])),
      ),
    )
