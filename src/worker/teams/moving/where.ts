import type { Work } from "../../platform/context.ts"
import { DIRECTORY, hasOthers, workIn } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { teamDatabases } from "../table.ts"

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

/** The same work where the team is now: a link names the database where it was. */
export async function workOf(work: Work, teamId: string): Promise<Work> {
  if (!hasOthers(work.env)) return work
  const numberOf = await databasesOf(work, [teamId])
  return workIn(work, numberOf(teamId))
}

/** A fence stands for some seconds. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000]

/** For what must not be refused because its team is moving: waits, and goes on where the team is. */
export async function followTeam<T>(
  work: Work,
  teamId: string,
  act: (work: Work) => Promise<T>,
): Promise<T> {
  let there = work
  for (const waitMs of WAITS_MS) {
    try {
      return await act(there)
    } catch (error) {
      if (!isTeamMoving(error)) throw error
    }
    await scheduler.wait(waitMs)
    there = await workOf(work, teamId)
  }
  return act(there)
}
