import { DIRECTORY } from "../../platform/db/databases.ts"
import { IS_OPEN, writeBehind } from "./fence.ts"
import type { End, Holder } from "./holder.ts"
import { isOfPeople, MOVED_TABLES, type MovedTable, selectFilled } from "./tables.ts"

const ROWS_A_STATEMENT = 500

/** Deletes the team's rows of these tables behind a fence. Answers false if the budget ends before. */
export async function deleteRows(
  holder: Holder,
  end: End,
  tables: readonly MovedTable[] = MOVED_TABLES,
): Promise<boolean> {
  const isDirectory = holder.row()[end] === DIRECTORY
  const deletable = tables.filter((table) => !isOfPeople(table, isDirectory))
  for (const table of await selectFilled(holder, [end], deletable)) {
    for (;;) {
      if (!holder.hasBudget()) return false
      const deleted = await deletePage(holder, holder[end], table)
      if (deleted < ROWS_A_STATEMENT) break
    }
    await holder.store({})
  }
  return true
}

async function deletePage(
  holder: Holder,
  db: D1Database,
  { name, team, key }: MovedTable,
): Promise<number> {
  // Every table but that of keys is clustered by its team.
  const columns = (name === "api_keys" ? key : [team, ...key]).join(", ")
  holder.spend(3)
  const [deleted] = await writeBehind(db, holder, [
    db
      .prepare(
        `delete from ${name} where (${columns}) in (
           select ${columns} from ${name} where ${team} = ? limit ${ROWS_A_STATEMENT})
         and ${IS_OPEN} returning 1`,
      )
      .bind(holder.teamId, holder.teamId),
  ])
  return deleted?.results.length ?? 0
}
