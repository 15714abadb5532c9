import { logError } from "../../../lib/log.ts"
import { DIRECTORY } from "../../platform/db/databases.ts"
import { TEAM_IS_MOVING } from "../../platform/http/errors.ts"
import type { End, Holder } from "./holder.ts"
import { isOfPeople, MOVED_TABLES, type MovedTable } from "./tables.ts"

const OPERATIONS = ["insert", "update", "delete"] as const
type Operation = (typeof OPERATIONS)[number]

const triggerName = ({ name }: MovedTable, operation: Operation) => `moving_${name}_${operation}`

/** The triggers of all tables. They cost nothing while they are not there, which is nearly always. */
export const createTriggers = (db: D1Database, isDirectory: boolean): D1PreparedStatement[] =>
  MOVED_TABLES.filter((table) => !isOfPeople(table, isDirectory)).flatMap((table) =>
    OPERATIONS.map((operation) => db.prepare(writeTrigger(table, operation))),
  )

function writeTrigger(table: MovedTable, operation: Operation): string {
  const row = operation === "insert" ? "new" : "old"
  return `create trigger if not exists ${triggerName(table, operation)} before ${operation} on ${table.name}
    when (select mode from team_fences where team_id = ${row}.${table.team}) in ('closed', 'left')
    begin select raise(abort, '${TEAM_IS_MOVING}'); end`
}

const dropTriggers = (db: D1Database): D1PreparedStatement[] =>
  MOVED_TABLES.flatMap((table) =>
    OPERATIONS.map((operation) =>
      db.prepare(`drop trigger if exists ${triggerName(table, operation)}`),
    ),
  )

/** A process that has lost its move has lost its fences, too. */
const lostFence = () => new Error("The fence of the team is not that of this process.")

/** Makes the fences that stand those of a new holder. */
export async function holdFences(holder: Holder, ends: readonly End[]): Promise<void> {
  const { teamId, heldBy } = holder
  const hold = (db: D1Database) =>
    db.prepare("update team_fences set held_by = ? where team_id = ?").bind(heldBy, teamId).run()
  await Promise.all(ends.map((end) => hold(holder[end])))
  // Meanwhile a newer holder may have begun: its fences have been taken away, so it stops, too.
  await holder.store({})
}

/**
 * Puts a fence up, or changes the mode of this holder's. A process that has lost the move meanwhile takes
 * it down again.
 */
export async function raiseFence(
  holder: Holder,
  end: End,
  mode: "draining" | "closed" | "left",
): Promise<void> {
  const db = holder[end]
  const isDirectory = holder.row()[end] === DIRECTORY
  const triggers = mode === "closed" ? createTriggers(db, isDirectory) : []
  holder.spend(triggers.length + 1)
  const results = await db.batch([
    ...triggers,
    db
      .prepare(
        `insert into team_fences (team_id, mode, held_by) values (?, ?, ?)
         on conflict do update set mode = excluded.mode where held_by = excluded.held_by
         returning 1`,
      )
      .bind(holder.teamId, mode, holder.heldBy),
  ])
  if (results.at(-1)?.results.length === 0) throw lostFence()
  try {
    await holder.store({})
  } catch (error) {
    await lowerFence(holder, end)
    throw error
  }
}

/**
 * Takes the holder's fence down, and the triggers with the last one. Throws if the team's fence is
 * another's.
 */
export async function lowerFence(holder: Holder, end: End): Promise<void> {
  const { teamId, heldBy } = holder
  const db = holder[end]
  const [, others] = await db.batch<{ team_id: string }>([
    db.prepare("delete from team_fences where team_id = ? and held_by = ?").bind(teamId, heldBy),
    db.prepare("select team_id from team_fences order by team_id <> ? limit 1").bind(teamId),
  ])
  const [other] = others?.results ?? []
  if (other?.team_id === teamId) throw lostFence()
  if (other) return
  const drops = dropTriggers(db)
  holder.spend(drops.length + 3)
  await db.batch([...drops, db.prepare(FAIL_IF_FENCED)]).catch((error: unknown) => logError(error))
}

/** A fence that was put up meanwhile needs the triggers: the batch that drops them fails. */
const FAIL_IF_FENCED =
  "insert into team_fences (team_id, mode) select team_id, mode from team_fences"

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
