import { and, gt, inArray, lt } from "drizzle-orm"
import { inRounds } from "../../../lib/rounds.ts"
import { DAY_MS, MINUTE_MS } from "../../../lib/time.ts"
import { providerPauses } from "../../emails/sending/table.ts"
import type { Work } from "../../platform/context.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { MAX_DATABASE_BYTES } from "../../platform/db/size.ts"
import { alertsOn } from "../../stats/alerts.ts"
import { countedAt } from "../../stats/counters.ts"
import { countWindow } from "../../stats/day-window.ts"
import { statsDays } from "../../stats/table.ts"
import { teams } from "../table.ts"
import { INSTALLATION, keepNotices } from "./keep.ts"
import { notices } from "./table.ts"

const ALMOST_FULL = 0.8

const ROUNDS = { rounds: 100, size: 200 }
const KEPT_DAYS = 7

const PAUSE_NOTICED_AFTER_MS = 15 * MINUTE_MS

/** Runs each minute. Mail waits meanwhile, so a short pause needs nobody. */
export async function watchProviders(work: Work): Promise<void> {
  const since = work.now() - PAUSE_NOTICED_AFTER_MS
  const paused = await work.db.select().from(providerPauses).where(lt(providerPauses.since, since))
  if (paused.length === 0) return
  const noticed = paused.map(({ provider }) => ({
    teamId: INSTALLATION,
    about: { name: provider },
  }))
  await keepNotices(work, "provider_paused", noticed)
}

/** Runs once an hour. Checks for states that build up slowly, such as a database that fills. */
export async function watchForOwners(work: Work): Promise<void> {
  if (new Date(work.now()).getUTCMinutes() !== 0) return
  await watchDatabase(work)
  await watchRates(work)
  await work.db.delete(notices).where(lt(notices.createdAt, work.now() - KEPT_DAYS * DAY_MS))
}

/** Every answer of D1 has the size of the database. */
async function watchDatabase(work: Work): Promise<void> {
  const { meta } = await work.env.DB.prepare("select 1").run()
  const share = (meta.size_after ?? 0) / MAX_DATABASE_BYTES
  if (share < ALMOST_FULL) return
  const about = { percent: Math.round(share * 100) }
  await keepNotices(work, "database_almost_full", [{ teamId: INSTALLATION, about }])
}

const watchRates = (work: Work) =>
  inRounds(ROUNDS, async (size, last?: { id: string }) => {
    const ids = await work.db
      .select({ id: teams.id })
      .from(teams)
      .where(gt(teams.id, last?.id ?? ""))
      .orderBy(teams.id)
      .limit(size)
    await watchRatesOf(
      work,
      ids.map(({ id }) => id),
    )
    return ids
  })

async function watchRatesOf(work: Work, teamIds: readonly string[]): Promise<void> {
  const days = [work.now(), work.now() - DAY_MS].map((time) => countedAt(time).day)
  const rows = await work.db
    .select()
    .from(statsDays)
    .where(and(isOneOf(statsDays.teamId, teamIds), inArray(statsDays.day, days)))
  const alerts = [...Map.groupBy(rows, ({ teamId }) => teamId)].flatMap(([teamId, days]) => {
    const byDay = new Map(days.map((row) => [row.day, row]))
    return alertsOn(countWindow(byDay, work.now())).map((alert) => ({ teamId, ...alert }))
  })
  for (const kind of ["bounce", "complaint"] as const) {
    const found = alerts.filter((alert) => alert.kind === kind)
    if (found.length === 0) continue
    await keepNotices(
      work,
      `${kind}_rate`,
      found.map(({ teamId, rate }) => ({
        teamId,
        about: { percent: Number((rate * 100).toFixed(2)) },
      })),
    )
  }
}
