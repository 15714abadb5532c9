import { logError } from "../../../lib/log.ts"
import { createTriggers, dropTriggers, lostFence } from "./fence.ts"
import type { Holder } from "./holder.ts"

/** Makes the fences that stand those of a new holder. */
export async function holdFences(holder: Holder): Promise<void> {
  const { source, target, teamId, heldBy } = holder
  const hold = (db: D1Database) =>
    db.prepare("update team_fences set held_by = ? where team_id = ?").bind(heldBy, teamId).run()
  await Promise.all([hold(source), hold(target)])
  // Meanwhile a newer holder may have begun: its fences have been taken away, so it stops, too.
  await holder.store({})
}

/**
 * Puts a fence up, with the triggers that it needs, or changes the mode of this holder's. A process
 * that has lost the move meanwhile takes it down again.
 */
export async function raiseFence(
  holder: Holder,
  db: D1Database,
  mode: "log" | "closed",
  isDirectory: boolean,
): Promise<void> {
  const triggers = createTriggers(db, isDirectory)
  holder.spend(triggers.length + 1)
  const results = await db.batch([
    ...triggers,
    db
      .prepare(
        `insert into team_fences (team_id, mode, held_by) values (?, ?, ?)
         on conflict do update set mode = excluded.mode where held_by = excluded.held_by
         returning 1`,
      )
      .bind(holder.teamId, mode, holder.heldBy),
  ])
  if (results.at(-1)?.results.length === 0) throw lostFence()
  try {
    await holder.store({})
  } catch (error) {
    await lowerFence(holder, db)
    throw error
  }
}

/** Closes a fence that stands, if the move still has this holder. */
export async function closeFence({ teamId, heldBy }: Holder, db: D1Database): Promise<void> {
  const { results } = await db
    .prepare("update team_fences set mode = 'closed' where team_id = ? and held_by = ? returning 1")
    .bind(teamId, heldBy)
    .all()
  if (results.length === 0) throw lostFence()
}

/**
 * Takes the holder's fence down, and the triggers with the last one: the first statement of their
 * batch fails while others stand. Throws if the team's fence is another's.
 */
export async function lowerFence({ teamId, heldBy, spend }: Holder, db: D1Database): Promise<void> {
  const [, , others] = await db.batch<{ team_id: string }>([
    db.prepare("delete from team_fences where team_id = ? and held_by = ?").bind(teamId, heldBy),
    db
      .prepare(
        `delete from moved_rows where team_id = ?
         and not exists (select 1 from team_fences where team_id = ?)`,
      )
      .bind(teamId, teamId),
    db.prepare("select team_id from team_fences order by team_id <> ? limit 1").bind(teamId),
  ])
  const [other] = others?.results ?? []
  if (other?.team_id === teamId) throw lostFence()
  if (other) return
  const drops = dropTriggers(db)
  spend(drops.length + 4)
  await db
    .batch([
      db.prepare(
        "insert into moved_rows (team_id, table_name, row_key) select team_id, null, '' from team_fences",
      ),
      ...drops,
    ])
    .catch((error: unknown) => logError(error))
}
