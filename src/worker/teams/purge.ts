import { lt, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { firstIdAt, type IdKind } from "../../lib/id.ts"
import { DAY_MS } from "../../lib/time.ts"
import { ITEMS_A_ROUND, inTurns, type Round } from "../../lib/turns.ts"
import type { Work } from "../platform/context.ts"
import { jsonFields, jsonRows } from "../platform/db/json-rows.ts"
import { deleteObjects } from "../platform/db/overflow.ts"
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
      where ${teams.id} > ${after} order by ${teams.id} limit +${ITEMS_A_ROUND}`
    const purged = await purge(select, round)
    return purged.map(({ teamId }) => teamId)
  })

type OwnedTable = SQLiteTable & Record<"teamId", SQLiteColumn>

/** Deletes the rows of a table that `isOld` finds. `key` names a row within its team. */
export const purgeRows = (work: Work, table: OwnedTable, key: SQLiteColumn, isOld: SQL) =>
  purgeInTurns(
    work,
    sql`select ${key} as value from ${table} where ${table.teamId} = ${teams.id} and ${isOld}`,
    (select) =>
      work.db
        .delete(table)
        .where(sql`(${table.teamId}, ${key}) in (${select})`)
        .returning({ teamId: sql<string>`${table.teamId}` }),
  )

/** Purges rows whose ids have the time. */
export const purgeOlder = (
  work: Work,
  table: OwnedTable & Record<"id", SQLiteColumn>,
  kind: IdKind,
  days: number,
) => purgeRows(work, table, table.id, lt(table.id, firstIdAt(kind, work.now() - days * DAY_MS)))

interface Found {
  teamId: string
  /** The email's. */
  id: string
  objectKey: string | null
}

/** The objects go first: a row leads a later sweep to an object that is still there. */
export async function deleteWithObjects(
  { db, env }: Work,
  table: SQLiteTable & Record<"teamId" | "emailId" | "objectKey", SQLiteColumn>,
  select: SQL,
): Promise<Found[]> {
  const { teamId, emailId, objectKey } = table
  const found = await db.all<Found>(sql`
    select s.teamId, s.id, ${objectKey} as objectKey
    from (${select}) s cross join ${table} on ${teamId} = s.teamId and ${emailId} = s.id`)
  if (found.length === 0) return found
  await deleteObjects(env, found)
  const x = jsonFields<Found>()
  await db
    .delete(table)
    .where(sql`(${teamId}, ${emailId}) in (select ${x.teamId}, ${x.id} from ${jsonRows(found)})`)
  return found
}
