import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import { fitsRow, type Stored } from "../db/overflow.ts"
import type { Ctx } from "../env.ts"
import { ApiError } from "../http/errors.ts"
import { domainAndParents, domainOf } from "../lib/address.ts"
import { sha256Hex } from "../lib/crypto.ts"
import { newId } from "../lib/id.ts"
import { canonicalJson, jsonChunks } from "../lib/json.ts"
import { type Blocked, blockingSuppressions } from "../suppressions/blocking.ts"
import { gzipContent, storeContent } from "./content.ts"
import { enqueueSends, PICKED_UP_WITHIN_MS } from "./queue.ts"
import type { SendInput } from "./send-input.ts"
import type { Recipient } from "./table.ts"

/** Further ahead than this an email is scheduled rather than queued. */
const SCHEDULED_FROM_MS = 5_000

export interface Accepted {
  id: string
  /** An earlier call with the same idempotency key had made it. */
  replayed: boolean
}

export type Acceptance =
  | { ok: true; accepted: Accepted[] }
  | { ok: false; index: number; error: ApiError }

/**
 * Stores all emails or none, in one round trip: the verdict on each item is a common table
 * expression, which the first statement answers and the conditional inserts obey.
 */
export async function acceptEmails(ctx: Ctx, inputs: readonly SendInput[]): Promise<Acceptance> {
  const items = inputs.map((input, index) => prepare(ctx, input, index))
  const { firsts, conflict } = foldRepeats(items)
  if (conflict) {
    await ctx.caller()
    return { ok: false, index: conflict.index, error: idempotencyConflict() }
  }
  const contents = await storeContents(ctx, firsts)
  const verdicts = verdictsOn(ctx, firsts)
  const [rows] = await ctx.batch([
    ctx.db.all<VerdictRow>(
      sql`with ${verdicts} select position, id, prior_id, refusal, suppressed from verdict order by position`,
    ),
    ...inserts(ctx, verdicts, firsts, contents),
  ] as const)

  const refused = rows.find((row) => row.refusal !== null)
  if (refused) {
    ctx.defer(discard(ctx, contents))
    const index = firsts[refused.position]?.index ?? 0
    return { ok: false, index, error: toError(refused) }
  }
  const fresh = firsts.filter((_, position) => rows[position]?.prior_id === null)
  ctx.defer(enqueueAccepted(ctx, fresh))
  const byFirst = new Map(
    rows.map((row) => [row.id, { id: row.prior_id ?? row.id, replayed: row.prior_id !== null }]),
  )
  const accepted = items.map((item) => {
    const first = byFirst.get((item.repeats ?? item).id) as Accepted
    return item.repeats ? { ...first, replayed: true } : first
  })
  return { ok: true, accepted }
}

interface Item {
  index: number
  id: string
  input: SendInput
  /** What a second request with the same idempotency key must equal. */
  fingerprint: string
  /** The same for a key that may not override suppression: there the field does not count. */
  sendingOnlyFingerprint: string
  scheduled: boolean
  /** When it may go out. */
  notBefore: number
  /** An earlier item of the same call, with the same idempotency key. */
  repeats?: Item
}

function prepare(ctx: Ctx, input: SendInput, index: number): Item {
  const now = ctx.now()
  const { idempotencyKey: _, overrideSuppression, ...rest } = input
  const scheduled = (input.scheduledAt ?? 0) > now + SCHEDULED_FROM_MS
  return {
    index,
    id: newId("email", now),
    input,
    fingerprint: input.idempotencyKey ? fingerprint({ ...rest, overrideSuppression }) : "",
    sendingOnlyFingerprint: input.idempotencyKey
      ? fingerprint({ ...rest, overrideSuppression: false })
      : "",
    scheduled,
    notBefore: scheduled ? (input.scheduledAt as number) : now,
  }
}

const fingerprint = (input: unknown) => sha256Hex(canonicalJson(input))

/** Items of one call that share an idempotency key are one email, or a conflict. */
function foldRepeats(items: Item[]): { firsts: Item[]; conflict?: Item } {
  const byKey = new Map<string, Item>()
  const firsts: Item[] = []
  for (const item of items) {
    const key = item.input.idempotencyKey
    const first = key === undefined ? undefined : byKey.get(key)
    if (first) {
      if (first.fingerprint !== item.fingerprint) return { firsts, conflict: item }
      item.repeats = first
    } else {
      if (key !== undefined) byKey.set(key, item)
      firsts.push(item)
    }
  }
  return { firsts }
}

type StoredContent = Stored & { id: string }

/** Content too large for a row is in R2 before the row is: but not for a key that was not checked. */
async function storeContents(ctx: Ctx, items: readonly Item[]): Promise<StoredContent[]> {
  const gzipped = items.map(({ id, input: { html, text, headers, attachments } }) => ({
    id,
    content: gzipContent({ html: html ?? null, text: text ?? null, headers, attachments }),
  }))
  if (!gzipped.every(({ content }) => fitsRow(content))) await ctx.caller()
  return Promise.all(
    gzipped.map(async ({ id, content }) => ({ id, ...(await storeContent(ctx.env, id, content)) })),
  )
}

async function discard(ctx: Ctx, contents: readonly StoredContent[]): Promise<void> {
  const keys = contents.flatMap(({ objectKey }) => objectKey ?? [])
  if (keys.length > 0) await ctx.env.CONTENT.delete(keys)
}

interface VerdictRow {
  position: number
  id: string
  prior_id: string | null
  refusal: Refusal | null
  suppressed: string
}

type Refusal = "idempotency_conflict" | "domain_not_verified" | "forbidden" | "suppressed_recipient"

/** Of each item: what it repeats, the domain it is sent from, and why it is refused, if it is. */
function verdictsOn(ctx: Ctx, items: readonly Item[]): SQL {
  const asked = items.map(({ id, input, fingerprint, sendingOnlyFingerprint }) => ({
    id,
    key: input.idempotencyKey,
    full: fingerprint,
    sending_only: sendingOnlyFingerprint,
    override: input.overrideSuppression,
    domains: domainAndParents(domainOf(input.from.address)),
    addresses: addressesOf(input),
  }))
  return sql`
    caller as materialized (${ctx.callerRow}),
    finding as (
      select x.key as position, x.value ->> 'id' as id, prior.id as prior_id,
        prior.fingerprint = x.value ->> ('$.' || caller.permission) as same,
        caller.domain_id as only_domain_id,
        (
          select d.id from json_each(x.value, '$.domains') candidate
          cross join domains d on d.name = candidate.value and d.team_id = caller.team_id
            and d.status = 'verified' and d.status in ('pending', 'verified')
          order by candidate.key limit 1
        ) as domain_id,
        ${blockingSuppressions({
          team: sql`caller.team_id`,
          addresses: sql`select value as address from json_each(x.value, '$.addresses')`,
          override: sql`(x.value ->> 'override' and caller.permission = 'full')`,
        })} as suppressed
      from caller cross join json_each(${JSON.stringify(asked)}) x
      left join emails prior
        on prior.team_id = caller.team_id and prior.idempotency_key = x.value ->> 'key'
        and prior.idempotency_key is not null
    ),
    verdict as materialized (
      select *, case
        when same then null
        when prior_id is not null then 'idempotency_conflict'
        when domain_id is null then 'domain_not_verified'
        when only_domain_id <> domain_id then 'forbidden'
        when suppressed <> '[]' then 'suppressed_recipient'
      end as refusal
      from finding
    )`
}

function inserts(
  ctx: Ctx,
  verdicts: SQL,
  items: readonly Item[],
  contents: readonly StoredContent[],
): Query[] {
  const ids = JSON.stringify(items.map(({ id }) => id))
  const stored = sql`json_each(${ids}) x cross join emails e on e.team_id = ${ctx.team} and e.id = x.value`
  const statements = [
    ...jsonChunks(items.map((item) => toRecord(ctx, item))).map((records) =>
      insertEmails(verdicts, records),
    ),
    sql`insert into email_recipients (team_id, address, email_id)
      select distinct e.team_id, r.value ->> 'address', e.id from ${stored}, json_each(e.recipients) r`,
    ...jsonChunks(contents).map(
      (chunk) => sql`insert into email_contents (team_id, email_id, body, object_key)
        select e.team_id, e.id, c.value ->> 'body', c.value ->> 'objectKey'
        from json_each(${chunk}) c cross join emails e on e.team_id = ${ctx.team} and e.id = c.value ->> 'id'`,
    ),
  ]
  if (items.some(({ input }) => Object.keys(input.tags).length > 0)) {
    statements.push(sql`insert into email_tags (team_id, tag, email_id)
      select e.team_id, t.key, e.id from ${stored}, json_each(e.tags) t
      union all
      select e.team_id, t.key || ':' || t.value, e.id from ${stored}, json_each(e.tags) t`)
  }
  return statements.map((statement) => ctx.db.run(statement))
}

const insertEmails = (verdicts: SQL, records: string) => sql`
  insert into emails (
    team_id, id, status, sender, recipients, reply_to, subject, tags, domain_id, track_opens,
    track_clicks, override_suppression, idempotency_key, fingerprint, scheduled_at, created_at,
    not_before, due_at
  )
  with ${verdicts}
  select caller.team_id, verdict.id, r.value ->> 'status', r.value -> 'sender',
    r.value -> 'recipients', r.value -> 'replyTo', r.value ->> 'subject', r.value -> 'tags',
    verdict.domain_id, r.value ->> 'trackOpens', r.value ->> 'trackClicks',
    r.value ->> 'overrideSuppression' and caller.permission = 'full',
    r.value ->> 'idempotencyKey',
    iif(r.value ->> 'idempotencyKey' is null, null, r.value ->> ('$.' || caller.permission)),
    r.value ->> 'scheduledAt', r.value ->> 'createdAt', r.value ->> 'notBefore', r.value ->> 'dueAt'
  from json_each(${records}) r cross join verdict on verdict.id = r.value ->> 'id' cross join caller
  where verdict.prior_id is null
    and not exists (select 1 from verdict where refusal is not null)`

function toRecord(ctx: Ctx, item: Item) {
  const { input, scheduled, notBefore } = item
  return {
    id: item.id,
    status: scheduled ? "scheduled" : "queued",
    sender: input.from,
    recipients: recipientsOf(input),
    replyTo: input.replyTo,
    subject: input.subject,
    tags: input.tags,
    trackOpens: input.trackOpens,
    trackClicks: input.trackClicks,
    overrideSuppression: input.overrideSuppression,
    idempotencyKey: input.idempotencyKey,
    full: item.fingerprint,
    sending_only: item.sendingOnlyFingerprint,
    scheduledAt: scheduled ? notBefore : null,
    createdAt: ctx.now(),
    notBefore,
    dueAt: scheduled ? notBefore : notBefore + PICKED_UP_WITHIN_MS,
  }
}

const recipientsOf = ({ to, cc, bcc }: SendInput): Recipient[] => [
  ...to.map((mailbox) => ({ ...mailbox, as: "to" as const })),
  ...cc.map((mailbox) => ({ ...mailbox, as: "cc" as const })),
  ...bcc.map((mailbox) => ({ ...mailbox, as: "bcc" as const })),
]

const addressesOf = (input: SendInput) => [
  ...new Set(recipientsOf(input).map(({ address }) => address)),
]

async function enqueueAccepted(ctx: Ctx, items: readonly Item[]): Promise<void> {
  const { team } = await ctx.caller()
  await enqueueSends(
    ctx,
    items.map(({ id, notBefore }) => ({ teamId: team.id, emailId: id, notBefore, bulk: false })),
  )
}

const idempotencyConflict = () =>
  new ApiError("idempotency_conflict", "This idempotency key was used with another payload before.")

function toError(row: VerdictRow): ApiError {
  switch (row.refusal) {
    case "domain_not_verified":
      return new ApiError("domain_not_verified", "No verified domain of the team matches 'from'.")
    case "forbidden":
      return new ApiError("forbidden", "This API key is restricted to another domain.")
    case "suppressed_recipient":
      return new ApiError(
        "suppressed_recipient",
        "A recipient is on the suppression list.",
        JSON.parse(row.suppressed) as Blocked[],
      )
    default:
      return idempotencyConflict()
  }
}
