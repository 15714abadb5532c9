import { timeDigits } from "./emails.ts"

/** The emails of the last 30 days: older events are purged. */
const KEPT = "t.occurred_at > (unixepoch() - 29 * 86400) * 1000"
const ENTRIES_A_STATEMENT = 20_000
/** For the deliveries of further events. */
const ROOM = 10_000

/**
 * The events of a team's webhook for one type of entry, each with a delivery that succeeded. The
 * emails have to be there already.
 */
export async function fillDeliveries(
  db: D1Database,
  { teamId, webhookId, type }: { teamId: string; webhookId: string; type: string },
): Promise<void> {
  const last = "(select last from event_sequences where team_id = ?1)"
  const insertEvents = `
    insert into events (team_id, sequence, id, type, data, created_at)
    select t.team_id, ${last} + row_number() over (order by t.email_id), t.id, 'email.' || t.type,
      json_object('email', json_object('id', e.id, 'sender', json(e.sender), 'recipients', json(e.recipients),
        'replyTo', json('[]'), 'subject', e.subject, 'status', e.status, 'tags', json(e.tags), 'domainId', e.domain_id,
        'campaignId', null, 'templateId', null, 'scheduledAt', null, 'sentAt', e.sent_at, 'createdAt', e.created_at,
        'lastError', null), 'event', json_object('type', t.type, 'occurredAt', t.occurred_at, 'data', json(t.data))),
      t.occurred_at
    from email_events t join emails e on e.team_id = t.team_id and e.id = t.email_id
    where t.team_id = ?1 and t.email_id > ?2 and t.type = ?3 and ${KEPT}
      and not exists (select 1 from events o where o.team_id = t.team_id and o.id = t.id)
    order by t.email_id limit ${ENTRIES_A_STATEMENT}`
  const insertDeliveries = `
    insert into deliveries (team_id, webhook_id, id, sequence, event_id, event_type, state, attempts, not_before,
      created_at, completed_at)
    select team_id, ?2, 'whd_' || ${timeDigits("created_at")} || printf('%016d', sequence), sequence, id, type, 'succeeded',
      json_array(json_object('number', 1, 'startedAt', created_at, 'durationMs', 120, 'statusCode', 200,
        'error', null, 'responseExcerpt', 'ok')), created_at, created_at, created_at + 120
    from events where team_id = ?1 and sequence > ${last}`
  const moveLast = `
    update event_sequences set last = coalesce((select max(sequence) from events where team_id = ?1), last)
    where team_id = ?1`
  await db
    .prepare("insert into event_sequences (team_id, last) values (?, 0) on conflict do nothing")
    .bind(teamId)
    .run()
  for (let after: string | null = ""; after !== null; ) {
    await db.batch([
      db.prepare(insertEvents).bind(teamId, after, type),
      db.prepare(insertDeliveries).bind(teamId, webhookId),
      db.prepare(moveLast).bind(teamId),
    ])
    const newest: string | null = await db
      .prepare(
        `select data ->> '$.email.id' as id from events where team_id = ?1 and type = ?2
         order by sequence desc limit 1`,
      )
      .bind(teamId, `email.${type}`)
      .first("id")
    after = newest === null || newest === after ? null : newest
  }
  await db
    .prepare(
      `update webhooks set (position, deliver_until) = (
         select last, last + ${ROOM} from event_sequences where team_id = ?1)
       where team_id = ?1 and id = ?2`,
    )
    .bind(teamId, webhookId)
    .run()
}
