import { and, eq, gt, isNotNull, or } from "drizzle-orm"
import type { Db } from "../../../platform/db/client.ts"
import { isOneOf } from "../../../platform/db/json-rows.ts"
import { REQUIRES_SECOND_FACTOR, teamDatabases, teams } from "../../../teams/table.ts"
import { members, sessions } from "../table.ts"

/** The sessions that have not expired, whose user is in the team, with the factor that it requires. */
export async function readValidSessions(
  db: Db,
  teamId: string,
  tokens: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .select({ token: sessions.token })
    .from(sessions)
    .innerJoin(members, and(eq(members.userId, sessions.userId), eq(members.teamId, teamId)))
    .leftJoin(teams, eq(teams.id, members.teamId))
    .leftJoin(teamDatabases, eq(teamDatabases.teamId, members.teamId))
    .where(
      and(
        isOneOf(sessions.token, tokens),
        gt(sessions.expiresAt, new Date()),
        or(eq(REQUIRES_SECOND_FACTOR, 0), isNotNull(sessions.secondFactor)),
      ),
    )
  return new Set(rows.map(({ token }) => token))
}
