import { sql } from "drizzle-orm"
import { enqueueSends, SWEEP_LOOKS_AHEAD_MS } from "../emails/queue.ts"
import type { Work } from "../env.ts"
import { nextTeam } from "./choose.ts"

const LINES = [0, 1, 2] as const

/**
 * A message for each second of the coming minute in which a team has something due: scheduled mail,
 * another attempt, the lease of a consumer that died. What is overdue has lost its message.
 */
export async function sweepEmails(work: Work): Promise<void> {
  const [first, retried, scheduled] = await work.db.batch([
    selectDue(work, LINES[0]),
    selectDue(work, LINES[1]),
    selectDue(work, LINES[2]),
  ])
  await enqueueSends(work, [
    ...[...first, ...scheduled].map((due) => ({ ...due, bulk: false })),
    ...retried.map((due) => ({ ...due, bulk: true })),
  ])
}

/** A step in the index for each team and each second, however many emails wait there. */
function selectDue(work: Work, line: (typeof LINES)[number]) {
  const now = work.now()
  const nextDue = (team: string, after: string) => sql`(
    select min(e.not_before) from emails e
    where e.line = ${sql.raw(String(line))} and e.due_at is not null
      and e.team_id = ${sql.raw(team)} and e.not_before > ${sql.raw(after)}
      and e.not_before <= ${now + SWEEP_LOOKS_AHEAD_MS})`
  const secondOf = `${now} + (max(due.not_before, ${now}) - ${now} + 999) / 1000 * 1000`
  return work.db.all<{ teamId: string; notBefore: number }>(sql`
    with recursive team (team_id) as (
      select ${nextTeam(line, sql`''`)}
      union all
      select ${nextTeam(line, sql`team.team_id`)} from team where team_id is not null
    ),
    due (team_id, not_before) as (
      select team_id, ${nextDue("team.team_id", "-1")} from team where team_id is not null
      union all
      select team_id, ${nextDue("due.team_id", secondOf)} from due where not_before is not null
    )
    select team_id as teamId, not_before as notBefore from due where not_before is not null`)
}
