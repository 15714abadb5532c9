import type { Work } from "../../platform/context.ts"
import type { Holder } from "./holder.ts"
import { databasesOf } from "./team-database.ts"

/** Never deletes or copies over the rows that the team works with. */
export async function checkPlace(
  work: Work,
  { teamId }: Holder,
  ...expected: number[]
): Promise<void> {
  const number = (await databasesOf(work, [teamId]))(teamId)
  if (!expected.includes(number))
    throw new Error(`The directory has the team in database ${number}`)
}

/** The team was deleted. A copy behind the closed fence of the target does not count: nobody works there. */
export const isDeleted = async (holder: Holder): Promise<boolean> =>
  (await isGone(holder, holder.source)) &&
  ((await isGone(holder, holder.target)) || (await isClosed(holder, holder.target)))

/** This database has no row of the team in `teams`, which a deletion and a switch remove first. */
export const isGone = async ({ teamId }: Holder, db: D1Database): Promise<boolean> =>
  (await db.prepare("select 1 from teams where id = ?").bind(teamId).first()) === null

/** The fence of this database is closed, and this holder's. */
export const isClosed = async ({ teamId, heldBy }: Holder, db: D1Database): Promise<boolean> =>
  (await db
    .prepare("select 1 from team_fences where team_id = ? and held_by = ? and mode = 'closed'")
    .bind(teamId, heldBy)
    .first()) !== null
