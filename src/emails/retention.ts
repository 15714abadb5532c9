import { type SQL, sql } from "drizzle-orm"
import { shareOf } from "../db/share.ts"
import type { Work } from "../env.ts"
import { firstIdAt } from "../lib/id.ts"
import { inTurns, ROUND } from "../lib/rounds.ts"
import { DAY_MS } from "../lib/time.ts"

const PURGE_WITHIN_MS = 10_000

/** Purges content and records that are past their days, the teams in turn. */
export async function purgeExpired(work: Work): Promise<void> {
  const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = work.settings
  const time = { now: work.now, withinMs: PURGE_WITHIN_MS }
  const contents = olderThan(work, Math.min(CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS))
  await inTurns(time, (after, share) =>
    purgeContents(
      work,
      selectShares(
        sql`select c.email_id as piece from email_contents c
        cross join emails e on e.team_id = c.team_id and e.id = c.email_id
        where c.team_id = t.id and c.email_id < ${contents} and ${hasEnded}`,
        after,
        share,
      ),
    ),
  )
  const records = olderThan(work, RECORD_RETENTION_DAYS)
  await inTurns(time, (after, share) =>
    purgeRecords(
      work,
      selectShares(
        sql`select e.id as piece from emails e
        where e.team_id = t.id and e.id < ${records} and ${hasEnded}`,
        after,
        share,
      ),
    ),
  )
}

const olderThan = (work: Work, days: number) => firstIdAt("email", work.now() - days * DAY_MS)

/** What waits for a schedule keeps its content, however old the record is. */
const hasEnded = sql`e.status not in ('queued', 'scheduled', 'sending')`

const selectShares = (emailIds: SQL, after: string, share: number) => sql`
  select t.id as team_id, x.value as id from teams t cross join ${shareOf(emailIds, share)} x
  where t.id > ${after} order by t.id limit ${ROUND}`

async function purgeContents(work: Work, expired: SQL): Promise<string[]> {
  const purged = await work.db.all<{ team_id: string; object_key: string | null }>(sql`
    delete from email_contents where (team_id, email_id) in (${expired})
    returning team_id, object_key`)
  const keys = purged.flatMap(({ object_key }) => object_key ?? [])
  if (keys.length > 0) await work.env.CONTENT.delete(keys)
  return purged.map(({ team_id }) => team_id)
}

async function purgeRecords(work: Work, selectExpired: SQL): Promise<string[]> {
  const expired = await work.db.all<{ team_id: string; id: string }>(selectExpired)
  if (expired.length === 0) return []
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
  return expired.map(({ team_id }) => team_id)
}
