import { getTableConfig } from "drizzle-orm/sqlite-core"
import { keyInTeam, type TableRows } from "../../platform/db/rows.ts"
import { TABLES } from "../tables.ts"
import type { End, Holder } from "./holder.ts"

/** A table that has rows of teams, as the move reads and writes it. */
export interface MovedTable {
  name: string
  /** The column that names the team. */
  team: string
  /** The rest of the primary key. */
  key: readonly string[]
  columns: readonly string[]
  rowsAPage: number
}

const ROWS_A_PAGE = 1_000
const LARGE_ROWS_A_PAGE = 200

function describe({ table, isLarge }: TableRows): MovedTable {
  const { name, columns } = getTableConfig(table)
  const team = name === "teams" ? "id" : "team_id"
  return {
    name,
    team,
    key: keyInTeam(table).flatMap((column) => (column.name === team ? [] : column.name)),
    columns: columns.filter(({ generated }) => !generated).map((column) => column.name),
    rowsAPage: isLarge ? LARGE_ROWS_A_PAGE : ROWS_A_PAGE,
  }
}

/** All tables that have rows of teams, apart from those that only the directory has. */
export const MOVED_TABLES: readonly MovedTable[] = TABLES.filter(
  ({ owner }) => owner === "team",
).map(describe)

/** Calls find the team by these. */
export const FINDING_TABLES = MOVED_TABLES.filter(({ name }) =>
  ["api_keys", "teams"].includes(name),
)

/** The tables among these that have rows of the team, at one of these ends. */
export async function selectFilled(
  holder: Holder,
  ends: readonly End[],
  tables: readonly MovedTable[],
): Promise<MovedTable[]> {
  if (tables.length === 0) return []
  holder.spend(ends.length)
  const has = tables.map(({ name, team }) => `exists (select 1 from ${name} where ${team} = ?1)`)
  const found = await Promise.all(
    ends.map((end) =>
      holder[end]
        .prepare(`select json_array(${has}) as has`)
        .bind(holder.teamId)
        .first<string>("has"),
    ),
  )
  const filled = found.map((has): number[] => JSON.parse(has ?? "[]"))
  return tables.filter((_, at) => filled.some((has) => has[at]))
}

/**
 * Changes of people are noted in the directory, wherever their team is, and moved to it later. So the
 * directory's log takes entries of a fenced team, and its entries find the team by themselves.
 */
export const isOfPeople = ({ name }: MovedTable, isDirectory: boolean) =>
  isDirectory && name === "audit_log"
