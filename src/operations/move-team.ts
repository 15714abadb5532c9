import { inline } from "../worker/platform/db/statement.ts"
import {
  askCancel,
  askMove,
  type MoveProgress,
  SELECT_MOVES,
  SELECT_MOVES_TABLE,
  selectMove,
} from "../worker/teams/moving/request.sql.ts"
import { Failure } from "./install/failure.ts"
import type { Database } from "./installation.ts"

/** The databases of an installation, deployed or local. */
export interface Databases {
  known: readonly Database[]
  query<Row>(number: number, sql: string): Promise<Row[]>
}

interface Options {
  report(line: string): void
  sleep(ms: number): Promise<unknown>
  now(): number
}

const LOOKS_EVERY_MS = 2_000
const DIRECTORY = 1

/** Asks the Worker to move a team, and shows how far it is. A second call shows the same move. */
export async function moveTeam(
  databases: Databases,
  { teamId, to, mayLeave }: { teamId: string; to: number; mayLeave: boolean },
  options: Options,
): Promise<void> {
  const known = await readMove(databases, teamId)
  if (!known || known.phase === "kept" || known.phase === "deleting") {
    await ask(databases, { teamId, to, mayLeave }, options)
  } else if (known.target !== to || known.phase === "cancelling") {
    throw new Failure(
      `The team is on its way from database ${known.source} to ${known.target}${known.phase === "cancelling" ? ", which is being taken back" : ""}.`,
      "Wait until that has ended, or take it back: --cancel.",
    )
  }
  await follow(databases, { teamId, to }, options)
}

async function ask(
  databases: Databases,
  { teamId, to, mayLeave }: { teamId: string; to: number; mayLeave: boolean },
  { now }: Options,
): Promise<void> {
  const numbers = databases.known.map(({ number }) => number)
  if (!numbers.includes(to)) {
    throw new Failure(`There is no database ${to}.`, `The installation has ${numbers.join(", ")}.`)
  }
  const source = await findTeam(databases, teamId)
  if (source === to) throw new Failure(`The team is in database ${to} already.`, "Nothing to do.")
  const [from, target] = [source, to].map((one) => jurisdictionOf(databases, one))
  if (from !== target && !mayLeave) {
    throw new Failure(
      `The data of the team stays in jurisdiction ${from}, and database ${to} has jurisdiction ${target}.`,
      "Add --any-jurisdiction if the team may leave it.",
    )
  }
  const statement = askMove(teamId, { source, target: to, now: now() })
  const asked = await databases.query(DIRECTORY, inline(statement))
  if (asked.length === 0) {
    throw new Failure("The team began to move meanwhile.", "Run the same command again.")
  }
}

const jurisdictionOf = ({ known }: Databases, wanted: number) =>
  known.find(({ number }) => number === wanted)?.jurisdiction ?? "none"

/** The database of the team. */
async function findTeam({ query }: Databases, teamId: string): Promise<number> {
  const ofTeam = (sql: string) => inline({ sql, values: [teamId] })
  const [row] = await query<{ database: number }>(
    DIRECTORY,
    ofTeam("select database from team_databases where team_id = ?"),
  )
  const number = row?.database ?? DIRECTORY
  const [team] = await query(number, ofTeam("select id from teams where id = ?"))
  if (team) return number
  const [deleted] = await query(number, ofTeam("select id from deleted_teams where id = ?"))
  throw new Failure(
    deleted ? "The team is being deleted." : "There is no team with this id.",
    "The dashboard shows the id of a team in its settings.",
  )
}

const readMove = async ({ query }: Databases, teamId: string) =>
  (await query<MoveProgress>(DIRECTORY, inline(selectMove(teamId))))[0]

async function follow(
  databases: Databases,
  { teamId, to }: { teamId: string; to: number },
  { report, sleep, now }: Options,
): Promise<void> {
  report(
    "The Worker begins within a minute. This command only shows how far it is: it may be ended.",
  )
  let shown = ""
  let error: string | null = null
  for (;;) {
    const move = await readMove(databases, teamId)
    if (!move) throw new Failure(error ?? "The move was taken back.", "The team is where it was.")
    if (move.target === to && move.openedAt !== null) return end(move, report, now())
    error = move.lastError
    const line = describe(move, now())
    if (line !== shown) report(line)
    shown = line
    await sleep(LOOKS_EVERY_MS)
  }
}

function end(
  { source, target, fencedAt, openedAt }: MoveProgress,
  report: (line: string) => void,
  now: number,
): void {
  const seconds = ((openedAt ?? now) - (fencedAt ?? now)) / 1000
  report(`The team is in database ${target}. It could not write for ${seconds.toFixed(1)} seconds.
What database ${source} still has of it is deleted now.`)
}

function describe(
  { phase, moved, fencedAt, lastError, thenTo }: MoveProgress,
  now: number,
): string {
  const fault = lastError ? ` The last attempt failed: ${lastError}` : ""
  if (thenTo !== null) return `What an earlier move left is deleted first.${fault}`
  switch (phase) {
    case "draining":
      return `The team's mail and deliveries wait until those in flight have ended: six minutes at most.${fault}`
    case "copying":
    case "switched":
      return `${moved} rows are copied. The team has not been able to write for ${Math.ceil((now - (fencedAt ?? now)) / 1000)} s.${fault}`
    case "cancelling":
      return `The move is taken back.${fault}`
    default:
      return `The move begins.${fault}`
  }
}

interface MoveRow {
  team: string
  from: number
  to: number
  state: string
}

type ListedMove = Pick<MoveProgress, "phase" | "source" | "target" | "moved" | "lastError"> & {
  teamId: string
}

/** The teams that move, and those whose rows the source still has. */
export async function listMoves({ query }: Pick<Databases, "query">): Promise<MoveRow[]> {
  if ((await query(DIRECTORY, SELECT_MOVES_TABLE)).length === 0) return []
  const moves = await query<ListedMove>(DIRECTORY, SELECT_MOVES)
  return moves.map((move) => ({
    team: move.teamId,
    from: move.source,
    to: move.target,
    state: stateOf(move) + (move.lastError ? ` (${move.lastError})` : ""),
  }))
}

function stateOf({ phase, source, moved }: ListedMove): string {
  switch (phase) {
    case "kept":
      return "moved"
    case "switched":
    case "deleting":
      return `moved; its rows in database ${source} are being deleted`
    case "cancelling":
      return "being taken back"
    case "emptying":
      return "beginning"
    case "draining":
      return "waiting for mail and deliveries in flight"
    default:
      return `${moved} rows copied`
  }
}

/** Takes a move back, as long as the team is not in the target. */
export async function cancelMove(
  databases: Databases,
  teamId: string,
  { report }: Pick<Options, "report">,
): Promise<void> {
  const asked = await databases.query(DIRECTORY, inline(askCancel(teamId)))
  if (asked.length === 0) {
    const move = await readMove(databases, teamId)
    throw new Failure(
      move && move.phase !== "cancelling"
        ? `The team is in database ${move.target} already.`
        : "The team is not moving.",
      "To bring a team back, move it to the database where it was.",
    )
  }
  report("The team stays where it is. The copied rows are deleted from the next minute on.")
}
