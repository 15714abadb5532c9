import { DIRECTORY } from "../../platform/db/databases.ts"
import { IS_OPEN, writeBehind } from "./fence.ts"
import type { Holder } from "./holder.ts"
import { isOfPeople, type MovedTable } from "./tables.ts"

const ROWS_A_STATEMENT = 500

/**
 * Deletes the team's rows of these tables, or only the live ones, behind a fence. Answers false if
 * the budget ends before: the move has stored how far it came.
 */
export async function deleteRows(
  holder: Holder,
  db: D1Database,
  number: number,
  tables: readonly MovedTable[],
  { onlyLive = false } = {},
): Promise<boolean> {
  for (let at = holder.row().position?.table ?? 0; at < tables.length; at++) {
    const table = tables[at] as MovedTable
    if (isOfPeople(table, number === DIRECTORY)) continue
    const part = onlyLive ? table.live : "true"
    for (;;) {
      if (!holder.hasBudget()) return false
      const deleted = await deletePage(db, holder, table, part)
      if (deleted < ROWS_A_STATEMENT) break
    }
    await holder.store({ position: { table: at + 1, after: null } })
  }
  return true
}

async function deletePage(
  db: D1Database,
  holder: Holder,
  { name, team, key }: MovedTable,
  part: string,
): Promise<number> {
  // Every table but that of keys is clustered by its team.
  const columns = (name === "api_keys" ? key : [team, ...key]).join(", ")
  holder.spend(3)
  const [deleted] = await writeBehind(db, holder, [
    db
      .prepare(
        `delete from ${name} where (${columns}) in (
           select ${columns} from ${name} where ${team} = ? and ${part} limit ${ROWS_A_STATEMENT})
         and ${IS_OPEN} returning 1`,
      )
      .bind(holder.teamId, holder.teamId),
  ])
  return deleted?.results.length ?? 0
}
