import { readValidSessions } from "../access/people/valid-sessions.ts"
import { createDb } from "../platform/db/client.ts"
import type { Env } from "../platform/env.ts"

/** A session that is over loses its streams within 15 seconds. */
export const SESSION_CHECK_MS = 10_000

export interface Session {
  token: string
  teamId: string
}

/** Of the sessions of one team, the tokens of those that are over. */
export async function readEndedSessions(
  env: Pick<Env, "DB">,
  sessions: readonly Session[],
): Promise<Set<string>> {
  const [first] = sessions
  if (!first) return new Set()
  const tokens = new Set(sessions.map(({ token }) => token))
  const valid = await readValidSessions(createDb(env.DB), first.teamId, [...tokens])
  return new Set([...tokens].filter((token) => !valid.has(token)))
}
