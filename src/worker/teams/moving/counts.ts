import { DIRECTORY } from "../../platform/db/databases.ts"
import type { Holder } from "./holder.ts"
import { isOfPeople, MOVED_TABLES, type MovedTable } from "./tables.ts"

/** Other teams' statements go on between two of these. */
const ROWS_A_STATEMENT = 50_000

/** Compares the source with the target table by table. Says where they differ; null if nowhere. */
export async function findDifference(holder: Holder): Promise<string | null> {
  for (const table of MOVED_TABLES) {
    const { source, target } = holder.row()
    // What is noted behind the fence follows its team later.
    if (isOfPeople(table, source === DIRECTORY)) continue
    const mayHaveMore = isOfPeople(table, target === DIRECTORY)
    const [before, after] = await Promise.all([
      countRows(holder, holder.source, table),
      countRows(holder, holder.target, table),
    ])
    await holder.store({})
    if (mayHaveMore ? after < before : after !== before) {
      return `${table.name} has ${before} rows in the source and ${after} in the target`
    }
  }
  return null
}

async function countRows(holder: Holder, db: D1Database, table: MovedTable): Promise<number> {
  const { team, key, name } = table
  let counted = 0
  let after: unknown[] | null = null
  for (;;) {
    const behind: string =
      after === null ? "" : `and (${key.join(", ")}) > (${key.map(() => "?").join(", ")})`
    const values: unknown[] = [holder.teamId, ...(after ?? [])]
    const from = `from ${name} where ${team} = ? ${behind}`
    const end: unknown[] | undefined =
      key.length === 0
        ? undefined
        : (
            await db
              .prepare(
                `select ${key.join(", ")} ${from} order by ${key.join(", ")} limit 1 offset ${ROWS_A_STATEMENT - 1}`,
              )
              .bind(...values)
              .raw<unknown[]>()
          )[0]
    holder.spend(2)
    if (!end) {
      const rest = await db
        .prepare(`select count(*) as rows ${from}`)
        .bind(...values)
        .first<{ rows: number }>()
      return counted + (rest?.rows ?? 0)
    }
    counted += ROWS_A_STATEMENT
    after = end
  }
}
