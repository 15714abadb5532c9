import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import { alias } from "drizzle-orm/sqlite-core"
import { domainAndParents, domainOf } from "../../../lib/address.ts"
import { domains } from "../../domains/table.ts"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { caller } from "../../platform/db/caller.ts"
import type { Query } from "../../platform/db/client.ts"
import { columnsOf } from "../../platform/db/columns.ts"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { ApiError, otherDomain, unauthorized } from "../../platform/http/errors.ts"
import { type Blocked, blockingSuppressions } from "../../suppressions/blocking.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { emails } from "../table.ts"
import { addressesOf, type Item, idempotencyConflict } from "./prepare.ts"

export interface Refused {
  index: number
  error: ApiError
}

const finding = columnsOf<
  "composed" | "prior" | "domain_id" | "only_domain_id" | "suppressed" | "skips"
>("finding")

/** Why an email is not stored. The first reason that holds counts; `repeats` is no refusal. */
const REASONS = {
  repeats: sql`${finding.prior} ->> 'same'`,
  idempotency_conflict: sql`${finding.prior} is not null`,
  not_composed: sql`not ${finding.composed}`,
  domain_not_verified: sql`${finding.domain_id} is null`,
  forbidden: sql`${finding.only_domain_id} <> ${finding.domain_id}`,
  suppressed_recipient: sql`${finding.suppressed} <> '[]' and not ${finding.skips}`,
}
type Reason = keyof typeof REASONS

const whens = Object.entries(REASONS).map(
  ([name, when]) => sql`when ${when} then ${sql.raw(`'${name}'`)}`,
)

/** Why the emails of a finding are not stored; null if they may be stored. */
export const reason = sql`case ${sql.join(whens, sql` `)} end`

/** A sending-only key overrides no suppression, so the fingerprints of its emails leave the override out. */
export const byPermission = (full: SQLWrapper, sendingOnly: SQLWrapper): SQL =>
  sql`iif(${caller.permission} = 'full', ${full}, ${sendingOnly})`

/** What the findings on emails depend on. All have the same sender domain, `override` and `skips`. */
interface Asked {
  composed: boolean
  /** Idempotency keys with the id of the email, and the fingerprints by the caller's permission. */
  keys: [key: string, id: string, full: string | null, sendingOnly: string | null][]
  override: boolean
  skips: boolean
  domains: string[]
  addresses: [address: string, erased: string][]
}

export function toAsked({ settings }: Pick<Ctx, "settings">, items: readonly Item[]): Asked {
  const [{ input }] = items as [Item]
  const addresses = new Set(items.flatMap((item) => addressesOf(item.input)))
  return {
    composed: items.every(({ composed }) => composed.ok),
    keys: items.flatMap(({ id, input: { idempotencyKey: key }, ...item }) =>
      key ? [[key, id, item.fingerprint, item.sendingOnlyFingerprint] as const] : [],
    ) as Asked["keys"],
    override: input.overrideSuppression,
    skips: input.onSuppressed === "skip",
    domains: domainAndParents(domainOf(input.from.address)),
    addresses: [...addresses].map((address) => [address, erasedForm(settings, address)]),
  }
}

const x = jsonFields<Asked>()
const prior = alias(emails, "prior")

/** The first of the names that is a verified domain of the team: `json_each` keeps their order. */
const verifiedDomain = sql`(
  select ${domains.id} from json_each(x.value, '$.domains') name
  cross join domains on ${domains.name} = name.value and ${domains.teamId} = ${caller.team_id}
    and ${domains.status} = 'verified'
  limit 1)`

/** An email that was accepted with one of the idempotency keys. */
const priorEmail = sql`(
  select json_object('id', ${prior.id}, 'same', ${prior.fingerprint} =
    ${byPermission(sql`k.value ->> 2`, sql`k.value ->> 3`)})
  from json_each(x.value, '$.keys') k
  cross join emails prior
    on ${prior.teamId} = ${caller.team_id} and ${prior.idempotencyKey} = k.value ->> 0
    and ${prior.idempotencyKey} is not null and ${prior.id} <> k.value ->> 1
  limit 1)`

/** The table expression `finding`: a row for each of the `asked`. */
export const findings = (asked: SQLWrapper): SQL => sql`
  finding as materialized (
    select x.key as position, ${x.composed} as composed, ${x.skips} as skips, ${caller.domain_id} as only_domain_id,
      ${verifiedDomain} as domain_id, ${priorEmail} as prior,
      ${blockingSuppressions({
        team: caller.team_id,
        addresses: sql`select value ->> 0 as address, value ->> 1 as erased
          from json_each(x.value, '$.addresses')`,
        override: byPermission(x.override, sql`0`),
      })} as suppressed
    from caller cross join json_each(${asked}) x
  )`

interface VerdictRow {
  position: number
  id: string
  /** The earlier email with the same idempotency key. */
  prior_id: string | null
  reason: Reason | null
  suppressed: string
  domain_id: string | null
  /** The names that the caller may send from, if this one is not among them. */
  verified: string | null
}

const NAMES_LISTED = 5

/** A key of one domain learns no other names. */
const verifiedNames = sql`(
  select json_group_array(name) from (
    select ${domains.name} as name from domains
    where ${domains.teamId} = (select ${caller.team_id} from caller) and ${domains.status} = 'verified'
      and ${domains.id} = coalesce(${finding.only_domain_id}, ${domains.id})
    order by ${domains.id} desc limit ${sql.raw(String(NAMES_LISTED))}))`

export const selectVerdicts = prepared((db, { asked }: Placeholders<"asked">, scope: ScopeText) =>
  db.all<Omit<VerdictRow, "id">>(sql`
    with caller as materialized (${scope.callerRow}), ${findings(asked)}
    select position, ${finding.prior} ->> 'id' as prior_id, suppressed, domain_id, ${reason} as reason,
      iif(${finding.domain_id} is null, ${verifiedNames}, null) as verified
    from finding order by position`),
)

interface Decision<Q extends readonly Query[]> {
  rows: VerdictRow[]
  /** In the order of the items. */
  refusals: Refused[]
  /** The results of the other statements. */
  results: { [Index in keyof Q]: Q[Index]["_"]["result"] }
}

/** Decides on the emails of a call. Other statements may join the batch. */
export async function decide<const Q extends readonly Query[]>(
  ctx: Ctx,
  items: readonly Item[],
  alongside: Q,
): Promise<Decision<Q>> {
  const asked = items.map((item) => toAsked(ctx, [item]))
  const verdicts = selectVerdicts(ctx, { asked: JSON.stringify(asked) })
  const [rows, ...results] = await ctx.batch([verdicts, ...alongside])
  // The key was revoked after an earlier batch of the call.
  if (rows.length === 0) throw unauthorized()
  return {
    rows: rows.map((row) => ({ ...row, id: (items[row.position] as Item).id })),
    refusals: rows
      .filter(({ reason }) => reason !== null && reason !== "repeats")
      .map((row) => toRefused(row, items)),
    results: results as Decision<Q>["results"],
  }
}

function toRefused(row: Omit<VerdictRow, "id">, items: readonly Item[]): Refused {
  const item = items[row.position] as Item
  return { index: item.index, error: toError(row, item) }
}

function domainNotVerified(domain: string, verified: readonly string[]): ApiError {
  const others =
    verified.length === 0 ? "Add and verify one first." : `Verified: ${verified.join(", ")}.`
  return new ApiError(
    "domain_not_verified",
    `No verified domain of the team matches 'from': ${domain}. ${others}`,
  )
}

function toError(row: Omit<VerdictRow, "id">, { composed, input }: Item): ApiError {
  if (!composed.ok && row.reason === "not_composed") return composed.error
  switch (row.reason) {
    case "domain_not_verified":
      return domainNotVerified(domainOf(input.from.address), JSON.parse(row.verified ?? "[]"))
    case "forbidden":
      return otherDomain()
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
