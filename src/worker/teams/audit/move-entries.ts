import { and, eq, notExists, notInArray } from "drizzle-orm"
import { inRounds } from "../../../lib/rounds.ts"
import type { Work } from "../../platform/context.ts"
import { DIRECTORY, hasOthers, workIn } from "../../platform/db/databases.ts"
import { isOneOf } from "../../platform/db/json-rows.ts"
import { teamMoves } from "../moving/table.ts"
import { teamDatabases } from "../table.ts"
import { auditLog } from "./table.ts"

/** A team that moves takes no entries, and its log may be on its way to the directory. */
const isMoving = ({ db }: Work) =>
  db
    .select({ teamId: teamMoves.teamId })
    .from(teamMoves)
    .where(
      and(
        eq(teamMoves.teamId, teamDatabases.teamId),
        notInArray(teamMoves.phase, ["kept", "deleting"]),
      ),
    )

/** An entry binds nine of the hundred parameters of a statement. */
const ENTRIES_A_STATEMENT = 10
const ROUNDS = { rounds: 20, size: 10 * ENTRIES_A_STATEMENT }

/**
 * A change of people is noted in its own batch, so in the directory. This moves the entries of teams
 * that are in other databases to their team. An entry that is moved twice is one entry.
 */
export async function moveAuditEntries(work: Work): Promise<void> {
  if (!hasOthers(work.env)) return
  const home = workIn(work, DIRECTORY)
  await inRounds(ROUNDS, async (size) => {
    const rows = await home.db
      .select({ entry: auditLog, database: teamDatabases.database })
      .from(teamDatabases)
      .innerJoin(auditLog, eq(auditLog.teamId, teamDatabases.teamId))
      .where(notExists(isMoving(home)))
      .limit(size)
    for (const [number, ofDatabase] of Map.groupBy(rows, ({ database }) => database)) {
      const { db } = workIn(work, number)
      for (let at = 0; at < ofDatabase.length; at += ENTRIES_A_STATEMENT) {
        const part = ofDatabase.slice(at, at + ENTRIES_A_STATEMENT).map(({ entry }) => entry)
        await db.insert(auditLog).values(part).onConflictDoNothing()
        await home.db.delete(auditLog).where(
          and(
            isOneOf(
              auditLog.id,
              part.map(({ id }) => id),
            ),
            isOneOf(
              auditLog.teamId,
              part.map(({ teamId }) => teamId),
            ),
          ),
        )
      }
    }
    return rows
  })
}
