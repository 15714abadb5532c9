import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"

const RELEASED_A_CLAIM = 500

/** How many of each of these teams join the line with one claim. */
export const releasedOfEach = (teams: readonly string[]) =>
  Math.ceil(RELEASED_A_CLAIM / Math.max(1, teams.length))

/** Scheduled mail of these teams that has its time waits in line with the rest from now on. */
export const releaseScheduled = (work: Work, teams: readonly string[], dueBy: number) =>
  work.db.run(sql`
    update emails set status = 'queued' where (team_id, id) in (
      select t.value, x.value from json_each(${JSON.stringify(teams)}) t, json_each((
        select json_group_array(id) from (
          select e.id from emails e
          where e.line = 2 and e.due_at is not null and e.team_id = t.value
            and e.not_before <= ${dueBy}
          order by e.not_before limit ${releasedOfEach(teams)}
        )
      )) x
    )`)
