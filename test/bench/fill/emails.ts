import { gzipSync } from "node:zlib"
import { firstIdAt, ID_ALPHABET } from "../../../src/lib/id.ts"
import { DAY_MS, HOUR_MS } from "../../../src/lib/time.ts"
import { dayOf, packKey } from "../../../src/worker/emails/packs/pack.ts"
import { EVENT_BITS } from "../../../src/worker/stats/counters.ts"
import { fromEmails } from "./from-emails.ts"

/** A database, and the bucket for packs. Without a bucket, no email has content. */
export interface Target {
  db: D1Database
  bucket?: R2Bucket
}

export interface FilledTeam {
  teamId: string
  domainId: string
}

export interface Range {
  /** The numbers of the first email, and of the one after the last. */
  from: number
  to: number
  /** The age of the first email. */
  oldestDays?: number
  /** From the first email to the last. */
  days?: number
  /** The age of the first email with content. */
  contentDays?: number
}

const EMAILS_A_DAY_AT_LEAST = 25
const EMAILS_A_STATEMENT = 20_000
const EMAILS_A_PACK = 1_000
/** Each thousand emails has ten addresses a hundred times: a page by address is full in it. */
const ADDRESSES_A_THOUSAND = 10

const { sent, delivered, bounced, complained, opened, clicked, failed, cancelled } = EVENT_BITS

/** Four of a hundred emails bounce, some of a thousand end otherwise. */
const STATUS = `case
  when i % 25 = 7 then 'bounced' when i % 1000 = 101 then 'complained'
  when i % 500 = 203 then 'failed' when i % 1000 = 308 then 'cancelled'
  when i % 1000 = 409 then 'sent' else 'delivered' end`

/** Three of ten delivered emails are opened, one of twenty is clicked. */
const TYPES = `case status
  when 'bounced' then ${sent | bounced} when 'complained' then ${sent | delivered | complained}
  when 'failed' then ${failed} when 'cancelled' then ${cancelled} when 'sent' then ${sent}
  else ${sent | delivered} + iif(i % 10 < 3, ${opened}, 0) + iif(i % 20 = 0, ${clicked}, 0) end`

/** The address of a bounce is suppressed, so it has no other mail. */
const ADDRESS = `iif(status = 'bounced', 'gone-' || i || '@example.org',
  'reader-' || (i / 1000 * ${ADDRESSES_A_THOUSAND} + i % ${ADDRESSES_A_THOUSAND}) || '@example.com')`

const byKind = (...values: string[]) =>
  `case i % 4 ${values.map((value, kind) => `when ${kind} then ${value}`).join(" ")} end`

const SUBJECT = byKind(
  "'Your order ' || i || ' is on its way'",
  "'Invoice ' || i || ' from Northwind'",
  "'New this week at Northwind'",
  "'Reset your password'",
)

const TAGS = `json_object('kind', ${byKind("'order'", "'invoice'", "'news'", "'reset'")},
  'shop', iif(i % 3, 'north', 'south'))`

const RECIPIENTS = `'[{"as":"to","address":"' || address || '"}'
  || iif(i % 20 = 3, ',{"as":"cc","address":"desk-' || (i % 7) || '@example.net"}', '') || ']'`

/** The digits of an id for a time, in SQL. */
export const timeDigits = (time: string) =>
  Array.from(
    { length: 10 },
    (_, place) => `substr('${ID_ALPHABET}', (${time} >> ${45 - 5 * place} & 31) + 1, 1)`,
  ).join(" || ")

/** An HTML message of 3.4 KB as the Worker stores it. */
const CONTENT = gzipSync(
  JSON.stringify({
    html: Array.from({ length: 90 }, (_, n) => `<p>Part ${(n * 7919) ** 3} is ready.</p>`).join(""),
    text: null,
    headers: {},
    attachments: [],
  }),
  { level: 1 },
)

/**
 * Settled emails, older ones with lower numbers: with recipients, tags, timelines, suppressions and
 * statistics. Unless told otherwise, they are of the last 60 days, and those of the last 30 have
 * contents in packs.
 */
export async function fillEmails(target: Target, team: FilledTeam, range: Range): Promise<void> {
  const days = daysOf(range)
  for (let from = range.from; from < range.to; from += EMAILS_A_STATEMENT) {
    const to = Math.min(from + EMAILS_A_STATEMENT, range.to)
    const bounds = [idOf(days, from), `${idOf(days, to - 1)}~`]
    const derived = fromEmails.map((text) => target.db.prepare(text).bind(team.teamId, ...bounds))
    const emails = target.db.prepare(insertEmails(days, target.bucket !== undefined))
    await target.db.batch([emails.bind(team.teamId, team.domainId, from, to), ...derived])
  }
  if (target.bucket) await putPacks(target.db, target.bucket, team.teamId, days)
}

/** Emails of yesterday whose contents still wait in the database for a pack. */
export async function fillWaiting(
  db: D1Database,
  team: FilledTeam,
  { from, to }: Pick<Range, "from" | "to">,
): Promise<void> {
  const range = { from, to, oldestDays: 1, days: 1 }
  await fillEmails({ db }, team, range)
  await db
    .prepare(
      `insert into email_contents (team_id, email_id, body)
       select team_id, id, ?4 from emails where team_id = ?1 and id between ?2 and ?3
         and substr(id, 14) between substr(?2, 14) and substr(?3, 14)`,
    )
    .bind(team.teamId, emailIdAt(range, from), emailIdAt(range, to - 1), CONTENT.toString("base64"))
    .run()
}

/** Emails by time: a block of them for each day that has mail. */
interface Days {
  from: number
  to: number
  days: number
  firstDay: number
  firstWithContent: number
  ofDay: number
  blocks: number
}

function daysOf({ from, to, oldestDays = 60, days = 59, contentDays = 30 }: Range): Days {
  const today = Math.floor(Date.now() / DAY_MS)
  const ofDay = Math.max(EMAILS_A_DAY_AT_LEAST, Math.ceil((to - from) / days))
  return {
    ...{ from, to, days, ofDay },
    firstDay: (today - oldestDays) * DAY_MS,
    firstWithContent: (today - contentDays) * DAY_MS,
    blocks: Math.ceil((to - from) / ofDay),
  }
}

/** The same time as in `insertEmails`. A further range has other milliseconds. */
function timeOf({ from, days, firstDay, ofDay, blocks }: Days, i: number): number {
  const day = Math.floor((Math.floor((i - from) / ofDay) * days) / blocks)
  const inDay = Math.floor((((i - from) % ofDay) * (DAY_MS - HOUR_MS)) / ofDay)
  return firstDay + day * DAY_MS + inDay + (from % HOUR_MS)
}

export const emailIdAt = (range: Range, i: number) => idOf(daysOf(range), i)

const idOf = (days: Days, i: number) =>
  `${firstIdAt("email", timeOf(days, i)).slice(0, -16)}${String(i).padStart(16, "0")}`

function insertEmails(
  { from, days, firstDay, firstWithContent, ofDay, blocks }: Days,
  withContents: boolean,
): string {
  const inDay = `(i - ${from}) % ${ofDay}`
  const inPack = `(${inDay}) % ${EMAILS_A_PACK}`
  const place = (value: string) =>
    `iif(time >= ${firstWithContent} and ${withContents}, ${value}, null)`
  return `
    with recursive n (i) as (select cast(?3 as integer) union all select i + 1 from n where i + 1 < ?4),
    t as (
      select i, ${STATUS} as status, ${firstDay} + (i - ${from}) / ${ofDay} * ${days} / ${blocks} * ${DAY_MS}
        + (${inDay}) * ${DAY_MS - HOUR_MS} / ${ofDay} + ${from % HOUR_MS} as time from n),
    m as (
      select *, 'em_' || ${timeDigits("time")} || printf('%016d', i) as id, ${ADDRESS} as address,
        iif(status in ('failed', 'cancelled'), null, time + 800) as sent from t)
    insert into emails (team_id, id, status, sender, recipients, subject, tags, domain_id, created_at,
      sent_at, provider_message_id, attempts, event_types, not_before, pack, pack_offset, pack_length)
    select ?1, id, status, '{"address":"hello@demo.test","name":"Northwind"}', ${RECIPIENTS},
      ${SUBJECT}, ${TAGS}, ?2, time, sent, iif(sent is null, null, 'sb:' || id), status <> 'cancelled',
      ${TYPES}, time, ${place(`printf('%08x', i - ${inPack})`)},
      ${place(`${inPack} * ${CONTENT.length}`)}, ${place(String(CONTENT.length))} from m`
}

/** The objects in which `insertEmails` places the contents. */
async function putPacks(db: D1Database, bucket: R2Bucket, teamId: string, days: Days) {
  const bytes = Buffer.concat(Array<Buffer>(EMAILS_A_PACK).fill(CONTENT))
  const keys: string[] = []
  for (let block = days.from; block < days.to; block += days.ofDay) {
    if (timeOf(days, block) < days.firstWithContent) continue
    const end = Math.min(block + days.ofDay, days.to)
    for (let first = block; first < end; first += EMAILS_A_PACK) {
      const members = Math.min(EMAILS_A_PACK, end - first)
      const pack = first.toString(16).padStart(8, "0")
      const key = packKey(teamId, dayOf(idOf(days, first)), pack)
      await bucket.put(key, bytes.subarray(0, members * CONTENT.length))
      keys.push(key)
    }
  }
  const rows = "insert into packs (team_id, object_key) select ?1, value from json_each(?2)"
  await db.prepare(rows).bind(teamId, JSON.stringify(keys)).run()
}
