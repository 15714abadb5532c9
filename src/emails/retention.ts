import { sql } from "drizzle-orm"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { inRounds } from "../lib/rounds.ts"
import { DAY_MS } from "../lib/time.ts"

const ROUNDS = { rounds: 10, size: 500 }

/** Purges content and records that are past their days, a bounded number a minute. */
export async function purgeExpired(work: Work): Promise<void> {
  const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = work.settings
  await inRounds(ROUNDS, (size) =>
    purgeContents(
      work,
      olderThan(work, Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS)),
      size,
    ),
  )
  await inRounds(ROUNDS, (size) => purgeRecords(work, olderThan(work, RECORD_RETENTION_DAYS), size))
}

const olderThan = (work: Work, days: number) => firstIdAt("email", work.now() - days * DAY_MS)

/** What waits for a schedule keeps its content, however old the record is. */
async function purgeContents(work: Work, before: string, size: number): Promise<number> {
  const purged = await work.db.all<{ object_key: string | null }>(sql`
    delete from email_contents where (team_id, email_id) in (
      select c.team_id, c.email_id from teams t
      cross join email_contents c on c.team_id = t.id and c.email_id < ${before}
      join emails e on e.team_id = c.team_id and e.id = c.email_id
      where e.status not in ('queued', 'scheduled', 'sending')
      limit ${size}
    ) returning object_key`)
  const keys = purged.flatMap(({ object_key }) => object_key ?? [])
  if (keys.length > 0) await work.env.CONTENT.delete(keys)
  return purged.length
}

async function purgeRecords(work: Work, before: string, size: number): Promise<number> {
  const expired = await work.db.all<{ team_id: string; id: string }>(sql`
    select e.team_id, e.id from teams t
    cross join emails e on e.team_id = t.id and e.id < ${before}
    where e.status not in ('queued', 'scheduled', 'sending')
    limit ${size}`)
  if (expired.length === 0) return 0
  const listed = sql`select value ->> 'team_id', value ->> 'id' from json_each(${JSON.stringify(expired)})`
  await work.db.batch([
    work.db.run(sql`delete from email_recipients where (team_id, address, email_id) in (
      select e.team_id, r.value ->> 'address', e.id from emails e, json_each(e.recipients) r
      where (e.team_id, e.id) in (${listed}))`),
    work.db.run(sql`delete from email_tags where (team_id, tag, email_id) in (
      select e.team_id, t.key, e.id from emails e, json_each(e.tags) t
      where (e.team_id, e.id) in (${listed})
      union all
      select e.team_id, t.key || ':' || t.value, e.id from emails e, json_each(e.tags) t
      where (e.team_id, e.id) in (${listed}))`),
    work.db.run(sql`delete from email_events where (team_id, email_id) in (${listed})`),
    work.db.run(sql`delete from emails where (team_id, id) in (${listed})`),
  ])
  return expired.length
}
