import type { Work } from "../../platform/context.ts"
import { databaseEnv, databaseNumber } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { FENCED_TEAMS } from "../../teams/moving/fenced.ts"
import { databasesOf } from "../../teams/moving/team-database.ts"
import { teams } from "../../teams/table.ts"
import { enqueueOutcomes } from "./queue.ts"
import type { EmailReport } from "./report.ts"

/** Most teams are copied within seconds. */
const AGAIN_AFTER_SECONDS = 10

export const readFencedTeams = async (work: Work): Promise<Set<string>> => {
  const rows = await work.db.all<{ team_id: string }>(FENCED_TEAMS)
  return new Set(rows.map((row) => row.team_id))
}

/** Of the teams in a list, those that are in this database. */
export const selectTeamsHere = ({ db }: Pick<Work, "db">, teamIds: string) =>
  db
    .select({ id: teams.id })
    .from(teams)
    .where(isOneOf(teams.id, JSON.parse(teamIds) as string[]))

/** Puts reports into the queue again: for the database where their team is now, or for later. */
export async function forwardReports(
  work: Work,
  reports: readonly EmailReport[],
  { isFenced }: { isFenced: boolean },
): Promise<void> {
  if (reports.length === 0) return
  const numberOf = await databasesOf(
    work,
    reports.map(({ teamId }) => teamId),
  )
  const byDatabase = Map.groupBy(reports, ({ teamId }) => numberOf(teamId))
  for (const [number, ofDatabase] of byDatabase) {
    const isHere = number === databaseNumber(work.env)
    // Nobody knows the team: it was deleted.
    if (isHere && !isFenced) continue
    const delaySeconds = isHere ? AGAIN_AFTER_SECONDS : 0
    await enqueueOutcomes(databaseEnv(work.env, number), ofDatabase, delaySeconds)
  }
}
