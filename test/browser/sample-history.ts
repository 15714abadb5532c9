const DAY_MS = 86_400_000

/**
 * What only time would bring: thirty days of numbers, mail that is hours old, colleagues, and
 * outcomes at plain addresses instead of the simulator's.
 */
export const historyOf = (teamId: string, now = Date.now()) =>
  [
    ...Array.from({ length: 30 }, (_, ago) => dayOf(teamId, now - ago * DAY_MS, ago)),
    hoursOf(teamId, now),
    ...ADDRESSES.map(plainAddresses),
    ...spreadOut(teamId),
    ...COLLEAGUES.map(([name, role], index) =>
      joining(teamId, name, role, now - index * 9 * DAY_MS),
    ),
  ].join(";\n")

const COLLEAGUES = [
  ["Mary Jackson", "admin"],
  ["Joan Clarke", "member"],
  ["Annie Easley", "member"],
]

function dayOf(teamId: string, time: number, ago: number): string {
  const day = new Date(time).toISOString().slice(0, 10)
  const weekend = [0, 6].includes(new Date(time).getUTCDay())
  const sent = Math.round((weekend ? 900 : 2_100) + 420 * Math.sin(ago * 1.7) + (30 - ago) * 22)
  const bounced = Math.round(sent * (0.006 + 0.003 * Math.sin(ago)))
  const complained = ago % 6 === 2 ? 1 : 0
  const delivered = sent - bounced - (ago === 0 ? 12 : 0)
  const quarters = Object.fromEntries(
    Array.from({ length: 96 }, (_, index) => [
      index,
      [sent, bounced, complained, delivered].map((count) => share(count, index)),
    ]),
  )
  return `insert or replace into stats_days (team_id, day, sent, delivered, bounced, complained, opened, clicked, quarters)
    values ('${teamId}', '${day}', ${sent}, ${delivered}, ${bounced}, ${complained}, ${Math.round(sent * 0.41)}, ${Math.round(sent * 0.09)}, '${JSON.stringify(quarters)}')`
}

/** The same by the hour, as the metrics read them. */
const hoursOf = (teamId: string, now: number) => {
  const count = (share: number) => `cast(round(sent * ${share}) as integer)`
  const list = (share: number) =>
    `json_array(${[1, 0.985, 0.008, 0.004, 0, 0, 0.41, 0.09, 0.01].map((one) => count(one * share)).join()})`
  return `with recursive n(i) as (select 0 union all select i + 1 from n where i < 719),
      hours(hour, sent, i) as (
        select ${now - (now % 3_600_000)} - i * 3600000, 60 + abs(12 - (i % 24)) * 9 + i * 7 % 31, i from n)
    insert or replace into stats_hours (team_id, hour, domain_id, template_id, campaign_id, sent,
      delivered, hard, soft, complained, opened, clicked, mailboxes, delivery_times)
    select '${teamId}', hour, (select id from domains where team_id = '${teamId}' limit 1), '', '', sent,
      sent - iif(i % 40 < 12, 5, 1), iif(i % 40 < 12, 4, 1), iif(i % 40 < 12, 1, 0), i % 97 = 0,
      ${count(0.41)}, ${count(0.09)},
      json_object('Gmail', ${list(0.5)}, 'Microsoft', ${list(0.2)}, 'Yahoo', ${list(0.1)}, 'Other', ${list(0.2)}),
      json_object('42', ${count(0.6)}, '46', ${count(0.3)}, '56', ${count(0.1)}) from hours`
}

/** A whole number for one of 96 parts, whose sum is the count. */
const share = (count: number, index: number) =>
  Math.floor((count * (index + 1)) / 96) - Math.floor((count * index) / 96)

/** The columns that may hold an address of the simulator. */
const ADDRESSES = [
  ["emails", "recipients"],
  ["email_recipients", "address"],
  ["email_events", "data"],
  ["sandbox_messages", "recipients"],
  ["suppressions", "email"],
  ["contacts", "email"],
]
const MAILBOXES = ["softbounce+", "bounce+", "complaint+", "delay+"]

function plainAddresses([table, column]: readonly string[]): string {
  const plain = [...MAILBOXES, "simulator.amazonses"].reduce(
    (text, part) => `replace(${text}, '${part}', '${part.endsWith("+") ? "" : "example"}')`,
    column ?? "",
  )
  return `update ${table} set ${column} = ${plain} where ${column} like '%simulator.amazonses.com%'`
}

/** The older an email is in the list, the longer ago it was sent. */
const spreadOut = (teamId: string) => {
  const age = (id: string) =>
    `(select 9000 * count(*) * count(*) from emails b where b.team_id = '${teamId}' and b.id > ${id})`
  return [
    `update email_events set occurred_at = occurred_at - ${age("email_id")} where team_id = '${teamId}'`,
    `update emails set created_at = created_at - ${age("emails.id")}, sent_at = sent_at - ${age("emails.id")} where team_id = '${teamId}'`,
  ]
}

const joining = (teamId: string, name = "", role = "", at: number) => {
  const id = name.toLowerCase().replace(" ", "-")
  return `insert into users (id, name, email, email_verified, created_at, updated_at)
      values ('${id}', '${name}', '${id.replace("-", ".")}@acme.com', 1, ${at}, ${at});
    insert into members (user_id, team_id, role, created_at) values ('${id}', '${teamId}', '${role}', ${at})`
}
