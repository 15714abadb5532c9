import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { repeat } from "../lib/repeat.ts"
import { nextTeam } from "./choose.ts"

const WAITS_MS = [100, 400, 1_600]

/**
 * After a lost answer: the claim may have been committed, and it handed nothing over. Which emails
 * it took is not known, but all of them have its lease.
 */
export const giveBack = (work: Work, claim: string, lease: number) =>
  repeat(WAITS_MS, () =>
    work.db.batch([giveBackOf(0, work, claim, lease), giveBackOf(1, work, claim, lease)]),
  )

const giveBackOf = (line: 0 | 1, work: Work, claim: string, lease: number) =>
  work.db.run(sql`
    with recursive team (team_id) as (
      select ${nextTeam(line, sql`''`)}
      union all
      select ${nextTeam(line, sql`team.team_id`)} from team where team_id is not null
    )
    update emails set not_before = ${work.now()}, due_at = ${work.now()},
      attempts = attempts - 1, unanswered = unanswered - 1
    where (team_id, id) in (
      select e.team_id, e.id from team cross join emails e on e.line = ${sql.raw(String(line))}
        and e.due_at is not null and e.team_id = team.team_id and e.not_before = ${lease}
      where e.claimed_by = ${claim} and e.status = 'sending'
    )`)
