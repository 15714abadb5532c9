import { lte, type SQL, sql } from "drizzle-orm"
import { DAY_MS } from "../../../lib/time.ts"
import { ITEMS_A_ROUND, type Round } from "../../../lib/turns.ts"
import type { Work } from "../../platform/context.ts"
import { insertInto } from "../../platform/db/columns.ts"
import { jsonFields, jsonRows } from "../../platform/db/json-rows.ts"
import { teams } from "../../teams/table.ts"
import { purgePositions } from "../table.ts"

/** A waiting email that has ended since is found when the purge begins again. */
const BEGINS_AGAIN_AFTER_MS = DAY_MS

interface Purge {
  kind: (typeof purgePositions.$inferSelect)["kind"]
  /** Ids below it have expired. */
  before: string
  /** Selects a team's rows above the position and below `before`, whatever their status. */
  rows: SQL
}

export const positionOf = (kind: Purge["kind"]) => sql`coalesce((
  select ${purgePositions.position} from purge_positions
  where ${purgePositions.teamId} = ${teams.id} and ${purgePositions.kind} = ${kind}), '')`

export const forgetOldPositions = ({ db, now }: Work) =>
  db.delete(purgePositions).where(lte(purgePositions.since, now() - BEGINS_AGAIN_AFTER_MS))

interface PurgedRow {
  teamId: string
  id: string
}

/**
 * Moves the positions after a round. A team that had less than its share has only waiting emails left
 * below `before`. A full round may have cut the last team's share.
 */
export async function movePositions(
  { db, now }: Work,
  { kind, before, rows }: Purge,
  purged: readonly PurgedRow[],
  { after, share }: Round,
): Promise<void> {
  const isFull = purged.length >= ITEMS_A_ROUND
  const lastTeam = purged.reduce((last, { teamId }) => (teamId > last ? teamId : last), "")
  const { teamId, id } = jsonFields<PurgedRow>()
  const isLookedThrough = sql`(coalesce(x.count, 0) < ${share}
    and (${isFull ? 0 : 1} or ${teams.id} < ${lastTeam}))`
  await db.run(sql`
    ${insertInto(
      purgePositions,
      {
        teamId: sql`${teams.id}`,
        kind: sql`${kind}`,
        position: sql`iif(${isLookedThrough}, ${before}, x.last)`,
        since: sql`${now()}`,
      },
      sql`from ${teams} left join (
          select ${teamId} as team_id, count(*) as count, max(${id}) as last
          from ${jsonRows(purged)} group by 1
        ) x on x.team_id = ${teams.id}
        where ${teams.id} > ${after}
          and iif(${isLookedThrough}, exists (${rows}), x.count is not null)`,
    )}
    on conflict do update set position = max(position, excluded.position)`)
}

/** Moves the position of one team, where teams do not share a round. */
export const movePosition = (
  { db, now }: Work,
  {
    teamId,
    kind,
    position,
  }: Pick<typeof purgePositions.$inferSelect, "teamId" | "kind" | "position">,
  condition: SQL = sql`true`,
) =>
  db.run(sql`
    ${insertInto(purgePositions, { teamId, kind, position, since: now() }, sql`where ${condition}`)}
    on conflict do update set position = max(position, excluded.position)`)
