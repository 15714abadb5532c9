import type { Work } from "../../platform/context.ts"
import { databaseNumber } from "../../platform/db/databases.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { workInTeamDatabase, workOfLink } from "./team-database.ts"

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
