import { type SQL, sql } from "drizzle-orm"
import type { Queries, Query } from "../db/client.ts"
import type { Stored } from "../db/overflow.ts"
import type { Ctx } from "../env.ts"
import { domainAndParents, domainOf } from "../lib/address.ts"
import { CLOCKS_APART_MS } from "../lib/clocks.ts"
import { jsonChunks } from "../lib/json.ts"
import { blockingSuppressions } from "../suppressions/blocking.ts"
import { erasedForm } from "../suppressions/erased.ts"
import { addressesOf, type Item, recipientsOf } from "./accept-item.ts"

export type StoredContent = Stored & { id: string }

export interface VerdictRow {
  position: number
  id: string
  prior_id: string | null
  refusal: Refusal | null
  suppressed: string
  domain_id: string | null
}

type Refusal =
  | "idempotency_conflict"
  | "not_composed"
  | "domain_not_verified"
  | "forbidden"
  | "suppressed_recipient"

/** For each item: the email that it repeats, its sending domain, and the reason of a refusal. */
export function verdictsOn(ctx: Ctx, items: readonly Item[]): SQL {
  const asked = items.map(({ id, input, composed, fingerprint, sendingOnlyFingerprint }) => ({
    id,
    composed: composed.ok,
    key: input.idempotencyKey,
    full: fingerprint,
    sending_only: sendingOnlyFingerprint,
    override: input.overrideSuppression,
    domains: domainAndParents(domainOf(input.from.address)),
    addresses: addressesOf(input).map((address) => [address, erasedForm(address)]),
  }))
  return sql`
    caller as materialized (${ctx.callerRow}),
    finding as (
      select x.key as position, x.value ->> 'id' as id, prior.id as prior_id,
        prior.fingerprint = x.value ->> ('$.' || caller.permission) as same,
        x.value ->> 'composed' as composed, caller.domain_id as only_domain_id,
        (
          select d.id from json_each(x.value, '$.domains') candidate
          cross join domains d on d.name = candidate.value and d.team_id = caller.team_id
            and d.status = 'verified'
          order by candidate.key limit 1
        ) as domain_id,
        ${blockingSuppressions({
          team: sql`caller.team_id`,
          addresses: sql`select value ->> 0 as address, value ->> 1 as erased from json_each(x.value, '$.addresses')`,
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
        when not composed then 'not_composed'
        when domain_id is null then 'domain_not_verified'
        when only_domain_id <> domain_id then 'forbidden'
        when suppressed <> '[]' then 'suppressed_recipient'
      end as refusal
      from finding
    )`
}

export function inserts(
  ctx: Ctx,
  verdicts: SQL,
  items: readonly Item[],
  contents: readonly StoredContent[],
): Queries {
  const ids = JSON.stringify(items.map(({ id }) => id))
  const stored = sql`json_each(${ids}) x cross join emails e on e.team_id = ${ctx.team} and e.id = x.value`
  const statements = [
    ...jsonChunks(items.flatMap((item) => toRecord(ctx, item))).map((records) =>
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
  return statements.map((statement): Query => ctx.db.run(statement)) as [Query, ...Query[]]
}

const insertEmails = (verdicts: SQL, records: string) => sql`
  insert into emails (
    team_id, id, status, sender, recipients, reply_to, subject, tags, domain_id, template_id,
    track_opens, track_clicks, override_suppression, idempotency_key, fingerprint, scheduled_at, created_at,
    not_before, due_at
  )
  with ${verdicts}
  select caller.team_id, verdict.id, r.value ->> 'status', r.value -> 'sender',
    r.value -> 'recipients', r.value -> 'replyTo', r.value ->> 'subject', r.value -> 'tags',
    verdict.domain_id, r.value ->> 'templateId', r.value ->> 'trackOpens', r.value ->> 'trackClicks',
    r.value ->> 'overrideSuppression' and caller.permission = 'full',
    r.value ->> 'idempotencyKey',
    iif(r.value ->> 'idempotencyKey' is null, null, r.value ->> ('$.' || caller.permission)),
    r.value ->> 'scheduledAt', r.value ->> 'createdAt', r.value ->> 'notBefore', r.value ->> 'dueAt'
  from json_each(${records}) r cross join verdict on verdict.id = r.value ->> 'id' cross join caller
  where verdict.prior_id is null
    and not exists (select 1 from verdict where refusal is not null)`

function toRecord(ctx: Ctx, item: Item) {
  const { input, composed, scheduled, notBefore } = item
  if (!composed.ok) return []
  return {
    id: item.id,
    status: scheduled ? "scheduled" : "queued",
    sender: input.from,
    recipients: recipientsOf(input),
    replyTo: input.replyTo,
    subject: composed.message.subject,
    templateId: composed.message.templateId,
    tags: input.tags,
    trackOpens: input.trackOpens,
    trackClicks: input.trackClicks,
    overrideSuppression: input.overrideSuppression,
    idempotencyKey: input.idempotencyKey,
    full: item.fingerprint,
    sending_only: item.sendingOnlyFingerprint,
    scheduledAt: scheduled ? notBefore : null,
    createdAt: ctx.now(),
    // A consumer whose clock is behind may take a queued email, too.
    notBefore: scheduled ? notBefore : notBefore - CLOCKS_APART_MS,
    dueAt: notBefore,
  }
}
