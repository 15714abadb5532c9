import { jurisdictionOf } from "../platform/db/buckets.ts"
import { databaseEnv, databaseNumbers } from "../platform/db/databases.ts"
import type { Env } from "../platform/env.ts"
import type { TeamStream } from "./team-stream.ts"

/** The object that holds the stream of a team. A stub is broken after an error, so each call takes its own. */
export const streamOf = (env: Env, teamId: string) =>
  (streamsOf(env) as DurableObjectNamespace<TeamStream>).getByName(teamId)

/** Deletes the history of a team, also in the jurisdictions where the team was before it moved. */
export async function deleteStreams(env: Env, teamId: string): Promise<void> {
  for (const number of databaseNumbers(env)) {
    await streamOf(databaseEnv(env, number), teamId).deleteHistory()
  }
}

/** Objects run and keep their data in the jurisdiction of the team's database. */
function streamsOf(env: Env): DurableObjectNamespace {
  const jurisdiction = jurisdictionOf(env)
  if (!jurisdiction) return env.TEAM_STREAM
  try {
    return env.TEAM_STREAM.jurisdiction(jurisdiction)
  } catch (error) {
    // A runtime without Cloudflare, as that of `npm run dev`, has no jurisdictions.
    if (String(error).includes("not implemented in workerd")) return env.TEAM_STREAM
    throw error
  }
}
