import { lte, sql } from "drizzle-orm"
import { HOUR_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { purgeInTurns } from "../../teams/purge.ts"
import { teams } from "../../teams/table.ts"
import { packs } from "../table.ts"
import { deletePacks } from "./create-pack.ts"
import { firstKeptDay, firstKeyOf } from "./pack.ts"

/**
 * Deletes the packs of days that have expired, without a look at their emails. Teams take turns. A
 * pack that is still open stays: its object may come later, and only the row leads to it.
 */
export function purgePacks(work: Work): Promise<void> {
  const first = firstKeyOf(teams.id, firstKeptDay(work.settings, work.now()))
  const values = sql`
    select ${packs.objectKey} as value from packs
    where ${packs.teamId} = ${teams.id} and ${packs.objectKey} < ${first} and ${packs.openSince} is null
    order by ${packs.objectKey}`
  return purgeInTurns(work, values, async (select) => {
    const expired = await work.db.all<{ teamId: string; id: string }>(select)
    await deletePacks(
      work,
      expired.map(({ teamId, id }) => ({ teamId, objectKey: id })),
    )
    return expired
  })
}

/** Longer than an invocation lives, which may still commit its pack. */
const LOST_AFTER_MS = HOUR_MS
const LOST_A_SWEEP = 500

/** Packs whose process died before it committed them. No email leads to them. */
export async function deleteLostPacks(work: Work): Promise<void> {
  await deletePacks(
    work,
    await work.db
      .select()
      .from(packs)
      .where(lte(packs.openSince, work.now() - LOST_AFTER_MS))
      .limit(LOST_A_SWEEP),
  )
}
