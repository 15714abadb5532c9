import { env } from "cloudflare:workers"
import { placeOf } from "../../src/worker/platform/db/databases.ts"
import { makeTeam, type Team } from "../support/team.ts"

const homes = new Map<unknown, { db: D1Database; place: ReturnType<typeof placeOf> }>()

/** The database of a team that this made. */
export const homeOf = (teamId: unknown): D1Database | undefined => homes.get(teamId)?.db

/** What a link says of the team's database. */
export const databaseOf = (teamId: string) => homes.get(teamId)?.place ?? {}

/** A team in the present database of the tests. */
export async function makeTeamHere(): Promise<Team> {
  const team = await makeTeam()
  homes.set(team.id, { db: env.DB, place: placeOf(env) })
  return team
}
