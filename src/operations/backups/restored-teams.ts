import { chunk } from "../../lib/chunk.ts"
import { inline } from "../../worker/platform/db/statement.ts"
import { askDeletionOfCopies } from "../../worker/teams/moving/request.sql.ts"
import type { Databases } from "../move-team.ts"

interface Restored extends Pick<Databases, "query"> {
  /** The numbers of all databases. */
  numbers: readonly number[]
  /** The one that was restored. */
  restored: number
  report(line: string): void
  now(): number
}

const DIRECTORY = 1
const IDS_A_STATEMENT = 1_000
const WAY_OUT = "Restore all databases to one time, or undo this restore."

/**
 * After the restore of one of several databases: teams may have moved, or been made, since the time
 * to which it went back. What it has of teams that are in another database now is deleted.
 */
export async function compareTeams(installation: Restored): Promise<void> {
  const { numbers, restored } = installation
  const compared = restored === DIRECTORY ? numbers.filter((one) => one !== DIRECTORY) : [restored]
  for (const number of compared) await compareOne(installation, number)
}

async function compareOne(installation: Restored, number: number): Promise<void> {
  const { query, restored, report } = installation
  const readIds = async (database: number, sql: string) =>
    (await query<{ id: string }>(database, sql)).map(({ id }) => id)
  const found = await readIds(number, "select id from teams")
  const placed = await readIds(
    DIRECTORY,
    `select team_id as id from team_databases where database = ${number}`,
  )
  const missing = without(placed, found)
  if (missing.length > 0) {
    report(`The directory places these teams in database ${number}, which has nothing of them:
${missing.join(", ")}. ${WAY_OUT}`)
  }
  const surplus = without(found, placed)
  if (surplus.length === 0) return
  if (restored !== DIRECTORY) return deleteCopies(installation, surplus)
  report(`Database ${number} has these teams, but the directory does not place them there, so nobody finds them:
${surplus.join(", ")}. ${WAY_OUT}`)
}

/** A team that was deleted since is not in the directory: the Worker deletes it again anyway. */
async function deleteCopies({ query, restored, report, now }: Restored, teamIds: string[]) {
  for (const part of chunk(teamIds, IDS_A_STATEMENT)) {
    const ask = inline(askDeletionOfCopies(part, { database: restored, now: now() }))
    const copies = await query<{ teamId: string }>(DIRECTORY, ask)
    if (copies.length === 0) continue
    report(`These teams have left database ${restored} since then. The Worker deletes what it has of them:
${copies.map(({ teamId }) => teamId).join(", ")}.`)
  }
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return ids.filter((id) => !known.has(id))
}
