import { eq } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, databaseNumber, hasOthers, workIn } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { teamDatabases, teams } from "../table.ts"

/** The databases of teams, by the directory. A team that it does not name is in the directory itself. */
export async function databasesOf(
  { directory }: Pick<Work, "directory">,
  teamIds: readonly string[],
): Promise<(teamId: string) => number> {
  const rows = await directory
    .select({ teamId: teamDatabases.teamId, database: teamDatabases.database })
    .from(teamDatabases)
    .where(isOneOf(teamDatabases.teamId, teamIds))
  const numbers = new Map(rows.map(({ teamId, database }) => [teamId, database]))
  return (teamId) => numbers.get(teamId) ?? DIRECTORY
}

/** The same work in the database of the team, which the directory knows. */
async function workInTeamDatabase(work: Work, teamId: string): Promise<Work> {
  if (!hasOthers(work.env)) return work
  const numberOf = await databasesOf(work, [teamId])
  return workIn(work, numberOf(teamId))
}

/** The same for a link, which names the database where the team was. Without a move, it needs no directory. */
export async function workOfLink(
  work: Work,
  { teamId, database = DIRECTORY }: { teamId: string; database?: number },
): Promise<Work> {
  if (!hasOthers(work.env)) return work
  const there = workIn(work, database)
  const [team] = await there.db.select({ id: teams.id }).from(teams).where(eq(teams.id, teamId))
  return team ? there : workInTeamDatabase(work, teamId)
}

/** Most teams are copied within this time. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000]

/**
 * A change by a person who follows a link. While the team is copied it waits, and goes on where the team
 * is. In a database that the team has left meanwhile it finds no rows, so no fence refuses it.
 */
export async function followTeamOfLink<T>(
  work: Work,
  teamId: string,
  act: (work: Work) => Promise<T>,
): Promise<T> {
  let there = work
  for (const waitMs of WAITS_MS) {
    try {
      return await actOnLink(there, teamId, act)
    } catch (error) {
      if (!isTeamMoving(error)) throw error
    }
    await scheduler.wait(waitMs)
    there = await workInTeamDatabase(work, teamId)
  }
  return actOnLink(there, teamId, act)
}

async function actOnLink<T>(work: Work, teamId: string, act: (work: Work) => Promise<T>) {
  const result = await act(work)
  const database = databaseNumber(work.env)
  const present = await workOfLink(work, { teamId, database })
  return databaseNumber(present.env) === database ? result : act(present)
}
