import { and, eq, gt } from "drizzle-orm"
import type { Db } from "../../platform/db/client.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { members, sessions } from "./table.ts"

/** The sessions that have not expired and whose user is in the team. */
export async function liveSessions(
  db: Db,
  teamId: string,
  tokens: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .select({ token: sessions.token })
    .from(sessions)
    .innerJoin(members, and(eq(members.userId, sessions.userId), eq(members.teamId, teamId)))
    .where(and(isOneOf(sessions.token, tokens), gt(sessions.expiresAt, new Date())))
  return new Set(rows.map(({ token }) => token))
}
