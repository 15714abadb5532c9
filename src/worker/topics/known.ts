import { and, eq, type SQL, sql } from "drizzle-orm"
import type { TeamId, Work } from "../platform/context.ts"
import { isOneOf } from "../platform/db/json-rows.ts"
import { topics } from "./table.ts"

/** The team's topics among these. */
export const selectKnown = ({ db }: Work, team: TeamId, ids: readonly string[]) =>
  db
    .select({ id: topics.id })
    .from(topics)
    .where(and(eq(topics.teamId, team), isOneOf(topics.id, ids)))

/** A condition: the team has all of these topics. */
export const areKnown = (team: TeamId, ids: readonly string[]): SQL =>
  sql`(select count(*) from ${topics} where ${topics.teamId} = ${team}
    and ${isOneOf(topics.id, ids)}) = ${ids.length}`
