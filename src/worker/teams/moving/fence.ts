import { TEAM_IS_MOVING } from "../../platform/http/errors.ts"
import { hasHistory, isOfPeople, MOVED_TABLES, type MovedTable } from "./tables.ts"

const OPERATIONS = ["insert", "update", "delete"] as const
type Operation = (typeof OPERATIONS)[number]

const triggerName = ({ name }: MovedTable, operation: Operation) => `moving_${name}_${operation}`

/** The triggers of all tables. They cost nothing while they are not there, which is nearly always. */
export function createTriggers(db: D1Database, isDirectory: boolean): D1PreparedStatement[] {
  return MOVED_TABLES.flatMap((table) =>
    OPERATIONS.map((operation) => db.prepare(writeTrigger(table, operation, isDirectory))),
  )
}

export const dropTriggers = (db: D1Database): D1PreparedStatement[] =>
  MOVED_TABLES.flatMap((table) =>
    OPERATIONS.map((operation) =>
      db.prepare(`drop trigger if exists ${triggerName(table, operation)}`),
    ),
  )

function writeTrigger(table: MovedTable, operation: Operation, isDirectory: boolean): string {
  const row = operation === "insert" ? "new" : "old"
  const ofTeam = `from team_fences where team_id = ${row}.${table.team}`
  const refusal = isOfPeople(table, isDirectory)
    ? ""
    : `select case mode when 'closed' then raise(abort, '${TEAM_IS_MOVING}')
        when 'skip' then raise(ignore) end ${ofTeam};`
  const log = (of: string) =>
    hasHistory(table)
      ? `insert into moved_rows (team_id, table_name, row_key)
          select ${row}.${table.team}, '${table.name}', ${keyOf(table, of)} ${ofTeam} and mode = 'log';`
      : ""
  // An update may change the key.
  const logs = operation === "update" ? `${log("old")} ${log("new")}` : log(row)
  return `create trigger if not exists ${triggerName(table, operation)} before ${operation} on ${table.name}
    when ${row}.${table.team} in (select team_id from team_fences)
    begin ${refusal} ${logs} select 1; end`
}

const keyOf = ({ key }: MovedTable, row: string) =>
  `json_array(${key.map((column) => `${row}.${column}`).join(", ")})`

/** A process that has lost its move has lost its fences, too. */
export const lostFence = () => new Error("The fence of the team is not that of this process.")

/** One batch that may write rows behind a fence. Throws if the fence is not this holder's, or not closed. */
export async function writeBehind(
  db: D1Database,
  { teamId, heldBy }: { teamId: string; heldBy: string },
  statements: readonly D1PreparedStatement[],
): Promise<D1Result[]> {
  const change = (from: string, to: string) =>
    db
      .prepare(
        "update team_fences set mode = ? where team_id = ? and held_by = ? and mode = ? returning 1",
      )
      .bind(to, teamId, heldBy, from)
  const [opened, ...results] = await db.batch([
    change("closed", "open"),
    ...statements,
    change("open", "closed"),
  ])
  if (opened?.results.length === 0) throw lostFence()
  return results.slice(0, -1)
}

/** SQL, a condition: the batch may write behind the fence of the team, which is one parameter. */
export const IS_OPEN = "(select mode from team_fences where team_id = ?) = 'open'"
