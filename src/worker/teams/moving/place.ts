import type { Work } from "../../platform/context.ts"
import type { Holder } from "./holder.ts"
import type { Phase } from "./table.ts"
import { databasesOf } from "./team-database.ts"

const HAS_SWITCHED: readonly Phase[] = ["switched", "kept", "deleting"]

/** Never deletes or copies over the rows that the team works with. A deleted team is nowhere. */
export async function checkPlace(work: Work, holder: Holder): Promise<void> {
  const { phase, source, target } = holder.row()
  const number = (await databasesOf(work, [holder.teamId]))(holder.teamId)
  if (number === (HAS_SWITCHED.includes(phase) ? target : source)) return
  if (await isDeleted(holder)) return
  throw new Error(`The directory has the team in database ${number}`)
}

/** A copy behind the closed fence of the target does not count: nobody works there. */
const isDeleted = async (holder: Holder): Promise<boolean> =>
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
