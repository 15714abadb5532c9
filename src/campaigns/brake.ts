import { and, eq } from "drizzle-orm"
import { contactBooks } from "../contacts/table.ts"
import type { Work } from "../env.ts"
import { ALERT_MIN_SENDS, alertsOn } from "../stats/alerts.ts"
import { campaignRuns } from "./table.ts"
import { type CampaignWithRun, isRun } from "./view.ts"

/** The share of the book that is mailed by the end of each wave; after the last one the rest is. */
const WAVES = [0.01, 0.11]

/** Outcomes may never come: after this long a wave is judged by what there is. */
export const WAVE_WAIT_MS = 30 * 60_000

/** How many more the running wave may mail. */
export async function roomInWave(work: Work, row: CampaignWithRun): Promise<number> {
  const share = row.brake ? WAVES[row.wave] : undefined
  if (share === undefined) return Number.POSITIVE_INFINITY
  const [book] = await work.db
    .select({ size: contactBooks.subscribedCount })
    .from(contactBooks)
    .where(and(eq(contactBooks.teamId, row.teamId), eq(contactBooks.id, row.bookId)))
  const upTo = Math.max(ALERT_MIN_SENDS * (row.wave + 1), Math.ceil((book?.size ?? 0) * share))
  return upTo - row.recipients
}

/** Waits for the outcomes of a full wave, then lets the next one go or pauses the campaign. */
export async function judgeWave(work: Work, row: CampaignWithRun): Promise<"waits" | "goes on"> {
  const endedAt = row.waveEndedAt ?? work.now()
  const judgedAt = endedAt + WAVE_WAIT_MS
  if (row.open > 0 && work.now() < judgedAt) {
    if (row.waveEndedAt === null) await moveOn(work, row, { waveEndedAt: endedAt, dueAt: judgedAt })
    return "waits"
  }
  const [alert] = alertsOn(row)
  const next = { wave: row.wave + 1, waveEndedAt: null }
  if (!alert) {
    await moveOn(work, row, next)
    return "goes on"
  }
  const percent = (alert.rate * 100).toFixed(1)
  const pausedReason = `${alert.kind} rate of ${percent} % after ${row.recipients} recipients`
  await moveOn(work, row, { ...next, pausedReason, dueAt: null })
  return "waits"
}

const moveOn = (work: Work, row: CampaignWithRun, set: Partial<typeof campaignRuns.$inferInsert>) =>
  work.db
    .update(campaignRuns)
    .set(set)
    .where(and(isRun(row.teamId, row.id), eq(campaignRuns.wave, row.wave)))
