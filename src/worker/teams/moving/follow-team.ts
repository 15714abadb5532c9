import type { Work } from "../../platform/context.ts"
import { databaseNumber } from "../../platform/db/databases.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { workInTeamDatabase, workOfLink } from "./team-database.ts"

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
    there = await workInTeamDatabase(work, teamId)
  }
  return act(there)
}

/**
 * The same for a person who follows a link. In a database that the team has left meanwhile, such a
 * change finds no rows, so no fence refuses it.
 */
export const followTeamOfLink = <T>(
  work: Work,
  teamId: string,
  act: (work: Work) => Promise<T>,
): Promise<T> =>
  followTeam(work, teamId, async (there) => {
    const result = await act(there)
    const database = databaseNumber(there.env)
    const present = await workOfLink(there, { teamId, database })
    return databaseNumber(present.env) === database ? result : act(present)
  })
