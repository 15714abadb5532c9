import { deleteByKeys, insertRows, selectByKeys } from "./copy.ts"
import { writeBehind } from "./fence.ts"
import type { Holder } from "./holder.ts"
import { MOVED_TABLES } from "./tables.ts"

const CHANGES_A_ROUND = 500
/** The contents of this many rows are read at once. */
const LARGE_CHANGES_A_ROUND = 100

interface Change {
  id: number
  tableName: string
  rowKey: string
}

/**
 * Copies rows again that changed since, and answers how many changes there were. Rows that are gone,
 * or live now, leave the target. All of these keys are deleted first: a unique value may have passed
 * from one row to another.
 */
export async function applyChanges(holder: Holder): Promise<number> {
  const { source, target, teamId } = holder
  const changes = await readChanges(holder)
  const last = changes.at(-1)
  if (!last) return 0
  const tables = [...Map.groupBy(changes, ({ tableName }) => tableName)].flatMap(
    ([name, ofTable]) => {
      const table = MOVED_TABLES.find((one) => one.name === name)
      const keys = `[${[...new Set(ofTable.map(({ rowKey }) => rowKey))].join(",")}]`
      return table ? [{ table, keys }] : []
    },
  )
  const found: unknown[][][] = []
  for (const { table, keys } of tables) {
    found.push(await selectByKeys(source, table, teamId, keys).raw<unknown[]>())
  }
  const inserts = tables.flatMap(({ table }, index) =>
    insertRows(target, table, teamId, found[index] ?? []),
  )
  await writeBehind(target, holder, [
    ...tables.map(({ table, keys }) => deleteByKeys(target, table, teamId, keys)),
    ...inserts,
  ])
  await source
    .prepare(
      `delete from moved_rows where team_id = ? and id <= ?
       and exists (select 1 from team_fences where team_id = ? and held_by = ?)`,
    )
    .bind(teamId, last.id, teamId, holder.heldBy)
    .run()
  holder.spend(4 + 2 * tables.length + inserts.length)
  return changes.length
}

async function readChanges({ source, teamId }: Holder): Promise<Change[]> {
  const { results } = await source
    .prepare(
      `select id, table_name as tableName, row_key as rowKey from moved_rows
       where team_id = ? order by id limit ?`,
    )
    .bind(teamId, CHANGES_A_ROUND)
    .all<Change>()
  const largeOnes = new Set(
    MOVED_TABLES.flatMap(({ name, rowsAPage }) => (rowsAPage < CHANGES_A_ROUND ? [name] : [])),
  )
  let large = 0
  const end = results.findIndex(
    ({ tableName }) => largeOnes.has(tableName) && ++large > LARGE_CHANGES_A_ROUND,
  )
  return end < 0 ? results : results.slice(0, end)
}
