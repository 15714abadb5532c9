import { EVENT_BITS } from "../../../src/worker/stats/counters.ts"

const bit = (type: keyof typeof EVENT_BITS, of = "e") => `(${of}.event_types & ${EVENT_BITS[type]})`

/** The emails of team `?1` from one id to another. Those of other ranges have other numbers. */
const EMAILS = `e.team_id = ?1 and e.id >= ?2 and e.id < ?3
  and substr(e.id, 14) between substr(?2, 14) and substr(?3, 14)`

const TO = "e.recipients ->> '$[0].address'"
const toRecipient = (more = "") => `json_object('recipients', json_array(${TO})${more})`

/** Each entry of a timeline: seconds after the email was accepted, and what the provider said. */
const ENTRIES = [
  ["sent", 1, "'{}'"],
  ["delivered", 4, toRecipient()],
  [
    "bounced",
    6,
    toRecipient(
      ", 'bounceType', 'Permanent', 'bounceSubType', 'General', 'diagnosticCode', 'smtp; 550 5.1.1 user unknown'",
    ),
  ],
  ["complained", 7_200, toRecipient(", 'complaintFeedbackType', 'abuse'")],
  ["opened", 900, "json_object('userAgent', 'Mozilla/5.0')"],
  [
    "clicked",
    960,
    "json_object('url', 'https://shop.example/orders/' || substr(e.id, -6), 'userAgent', 'Mozilla/5.0')",
  ],
  ["failed", 2, "json_object('reason', 'The provider rejects this message.')"],
  ["cancelled", 30, "'{}'"],
] as const

const insertEntry = ([type, seconds, data]: (typeof ENTRIES)[number], index: number) => `
  insert into email_events (team_id, email_id, id, type, occurred_at, data)
  select e.team_id, e.id, 'evt_' || substr(e.id, 4, 10) || '${index}' || substr(e.id, 15), '${type}',
    e.created_at + ${seconds * 1000}, ${data}
  from emails e where ${EMAILS} and ${bit(type)}`

const COUNTED = [
  "sent",
  "delivered",
  "bounced",
  "complained",
  "opened",
  "clicked",
  "failed",
] as const
const sums = (types: readonly (keyof typeof EVENT_BITS)[]) =>
  types.map((type) => `sum(${bit(type)} > 0)`).join(", ")
const added = (columns: readonly string[]) =>
  columns.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")

/** What follows from emails of a team, between two ids: `?1`, `?2`, `?3`. */
export const fromEmails: readonly string[] = [
  `insert into email_recipients (team_id, address, email_id)
   select e.team_id, r.value ->> 'address', e.id from emails e, json_each(e.recipients) r where ${EMAILS}`,
  `insert into email_tags (team_id, tag, email_id)
   select e.team_id, t.key, e.id from emails e, json_each(e.tags) t where ${EMAILS}`,
  `insert into email_tags (team_id, tag, email_id)
   select e.team_id, t.key || ':' || t.value, e.id from emails e, json_each(e.tags) t where ${EMAILS}`,
  ...ENTRIES.map(insertEntry),
  `insert into suppressions (team_id, email, id, reason, source_email_id, created_at)
   select e.team_id, ${TO}, 'sup_' || substr(e.id, 4), 'bounce', e.id, e.created_at
   from emails e where ${EMAILS} and ${bit("bounced")}`,
  `insert into stats_days (team_id, day, ${COUNTED.join(", ")})
   select e.team_id, date(e.created_at / 1000, 'unixepoch') as at, ${sums(COUNTED)}
   from emails e where ${EMAILS} group by at
   on conflict do update set ${added(COUNTED)}`,
  `insert into stats_hours (team_id, hour, domain_id, template_id, campaign_id,
     sent, delivered, hard, complained, opened, clicked, failed)
   select e.team_id, e.created_at / 3600000 * 3600000 as at, e.domain_id, '', '', ${sums(COUNTED)}
   from emails e where ${EMAILS} group by at
   on conflict do update set ${added(["sent", "delivered", "hard", "complained", "opened", "clicked", "failed"])}`,
]
