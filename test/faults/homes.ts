import { env } from "cloudflare:workers"
import { databaseEnv, placeOf } from "../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../support/installation.ts"
import { makeTeam, type Team } from "../support/team.ts"

interface Home {
  db: D1Database
  /** Where links that were made at first find the team. */
  place: { database?: number }
}
const homes = new Map<unknown, Home>()

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

export function moveHome(teamId: string, number: number): void {
  const home = homes.get(teamId)
  if (home) home.db = databaseEnv(workerEnv(), number).DB
}
