import { eq, ne, sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { hasOthers } from "../../platform/db/databases.ts"
import { teamFences } from "./table.ts"

/**
 * Selects the teams that move from or to this database, or have left it lately: statements about many
 * teams leave them out. Nearly always there are none.
 */
export const FENCED_TEAMS = sql`select ${teamFences.teamId} from ${teamFences}`

export const selectFence = ({ db }: Pick<Work, "db">, teamId: string) =>
  db.select().from(teamFences).where(eq(teamFences.teamId, teamId))

/** A team moves from or to this database. */
export async function isTeamOnItsWay({ db, env }: Work): Promise<boolean> {
  if (!hasOthers(env)) return false
  const moving = await db
    .select({ teamId: teamFences.teamId })
    .from(teamFences)
    .where(ne(teamFences.mode, "left"))
    .limit(1)
  return moving.length > 0
}
