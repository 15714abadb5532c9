import { logError } from "../../../lib/log.ts"
import { DIRECTORY } from "../../platform/db/databases.ts"
import { dropTriggers, IS_OPEN, writeBehind } from "./fence.ts"
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

/** Takes the fence down, and the triggers with the last one: the first statement fails while others stand. */
export async function lowerFence({ teamId, heldBy, spend }: Holder, db: D1Database): Promise<void> {
  await db.batch([
    db.prepare("delete from team_fences where team_id = ? and held_by = ?").bind(teamId, heldBy),
    db
      .prepare(
        `delete from moved_rows where team_id = ?
         and not exists (select 1 from team_fences where team_id = ?)`,
      )
      .bind(teamId, teamId),
  ])
  const others = await db.prepare("select 1 from team_fences limit 1").first()
  if (others) return
  const drops = dropTriggers(db)
  spend(drops.length + 4)
  await db
    .batch([
      db.prepare(
        "insert into moved_rows (team_id, table_name, row_key) select team_id, null, '' from team_fences",
      ),
      ...drops,
    ])
    .catch((error: unknown) => logError(error))
}
