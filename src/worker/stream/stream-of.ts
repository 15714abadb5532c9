import type { Env } from "../platform/env.ts"
import type { TeamStream } from "./team-stream.ts"

/** The object that holds the stream of a team. A stub is broken after an error, so each call takes its own. */
export const streamOf = ({ TEAM_STREAM }: Env, teamId: string) =>
  (TEAM_STREAM as DurableObjectNamespace<TeamStream>).getByName(teamId)
