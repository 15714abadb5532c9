import { type SQL, sql } from "drizzle-orm"
import { ITEMS_A_ROUND, inTurns, type Round } from "../../lib/turns.ts"
import type { Work } from "../platform/context.ts"
import { limitedPerOwner } from "../platform/db/per-owner.ts"
import { teams } from "./table.ts"

const PURGE_WITHIN_MS = 10_000

/**
 * Purges rows while teams take turns. `values` selects those of one team as `value`. `purge` deletes
 * the rows that `select` finds as `teamId, id`, and answers what it deleted.
 */
export const purgeInTurns = (
  work: Work,
  values: SQL,
  purge: (select: SQL, round: Round) => Promise<readonly { teamId: string }[]>,
): Promise<void> =>
  inTurns(work, PURGE_WITHIN_MS, async (round) => {
    const { after, share } = round
    const select = sql`
      select ${teams.id} as teamId, x.value as id
      from ${teams} cross join ${limitedPerOwner(values, share)} x
      where ${teams.id} > ${after} order by ${teams.id} limit ${ITEMS_A_ROUND}`
    const purged = await purge(select, round)
    return purged.map(({ teamId }) => teamId)
  })
