import { sql } from "drizzle-orm"
import { insertInto } from "../../platform/db/columns.ts"
import { type Statement, statementOf } from "../../platform/db/statement.ts"
import { type Phase, teamMoves } from "./table.ts"

/** Requests of the command line, for the directory. The Worker does the rest. */

/**
 * Asks for a move. Where the source of an earlier move still has its fence, that is taken down first.
 * Answers nothing if the team is on its way already.
 */
export const askMove = (
  teamId: string,
  { source, target, now }: { source: number; target: number; now: number },
): Statement =>
  statementOf(sql`
    ${insertInto(
      teamMoves,
      { teamId, source, target, phase: sql`'emptying'`, requestedAt: now },
      sql`where true`,
    )}
    on conflict do update set then_to = ${target}, delete_at = 0
      where team_moves.phase in ('kept', 'deleting') and team_moves.target = ${source}
    returning team_id as teamId`)

/** Before the switch. An earlier version also knew "fenced". */
const CANCELLABLE: readonly (Phase | "fenced")[] = ["emptying", "draining", "copying", "fenced"]

/** Takes a move back. Answers nothing after the switch. */
export const askCancel = (teamId: string): Statement =>
  statementOf(sql`
    update team_moves set phase = 'cancelling', position = null, held_by = null, held_until = 0
    where team_id = ${teamId} and phase in (select value from json_each(${JSON.stringify(CANCELLABLE)}))
    returning team_id as teamId`)

export interface MoveProgress {
  phase: Phase
  source: number
  target: number
  moved: number
  fencedAt: number | null
  openedAt: number | null
  thenTo: number | null
  lastError: string | null
}

export const selectMove = (teamId: string): Statement =>
  statementOf(sql`
    select phase, source, target, moved, fenced_at as fencedAt, opened_at as openedAt,
      then_to as thenTo, last_error as lastError
    from team_moves where team_id = ${teamId}`)

/** All moves, those whose source still has its fence too. */
export const SELECT_MOVES = `
  select team_id as teamId, phase, source, target, moved, last_error as lastError
  from team_moves order by requested_at`

/** Answers a row, unless the database is of a version without moves. */
export const SELECT_MOVES_TABLE = "select name from sqlite_master where name = 'team_moves'"

/** A team between two databases, or that came into another one since. */
export const selectMoving = (since: number): string => `
  select team_id as teamId from team_moves
  where phase not in ('kept', 'deleting') or opened_at >= ${since} limit 1`

/** After a restore: the databases may be of slightly different moments, so a copy begins anew. */
export const TAKE_BACK_MOVES = `
  update team_moves set phase = 'cancelling', position = null, held_by = null, held_until = 0
  where phase in ('emptying', 'draining', 'copying', 'fenced')`

/**
 * After the restore of this database alone: asks for the deletion of teams in it that are in another
 * one now. Answers their ids.
 */
export const askDeletionOfCopies = (
  teamIds: readonly string[],
  { database, now }: { database: number; now: number },
): Statement =>
  statementOf(sql`
    ${insertInto(
      teamMoves,
      {
        teamId: sql`copy.id`,
        source: database,
        target: sql`copy.place`,
        phase: sql`'deleting'`,
        requestedAt: now,
        deleteAt: now,
      },
      sql`from (
        select value as id, coalesce(
          (select database from team_databases where team_id = value),
          (select 1 from teams where id = value)) as place
        from json_each(${JSON.stringify(teamIds)})) copy
      where copy.place <> ${database}`,
    )}
    on conflict do update set phase = 'deleting', position = null, held_by = null, held_until = 0
      where team_moves.source = ${database} and team_moves.phase = 'kept'
    returning team_id as teamId`)
