import { sql } from "drizzle-orm"
import { domainAndParents, domainOf } from "../../../lib/address.ts"
import type { Ctx, ScopeText } from "../../platform/context.ts"
import { caller } from "../../platform/db/caller.ts"
import type { Query } from "../../platform/db/client.ts"
import { jsonFields } from "../../platform/db/json-rows.ts"
import { type Placeholders, prepared } from "../../platform/db/prepared.ts"
import { ApiError, otherDomain, unauthorized } from "../../platform/http/errors.ts"
import { type Blocked, blockingSuppressions } from "../../suppressions/blocking.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { isPrior, prior, verifiedDomain } from "./accept-sql.ts"
import { addressesOf, type Item, idempotencyConflict } from "./prepare.ts"

export interface Refused {
  index: number
  error: ApiError
}

interface VerdictRow {
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

/** The parts of an email that the verdict depends on. */
interface Asked {
  composed: boolean
  key: string | undefined
  /** The fingerprint, by the permission of the caller. */
  full: string | null
  sending_only: string | null
  override: boolean
  domains: string[]
  addresses: [string, string][]
}

const toAsked =
  ({ settings }: Ctx) =>
  ({ input, composed, fingerprint, sendingOnlyFingerprint }: Item): Asked => ({
    composed: composed.ok,
    key: input.idempotencyKey,
    full: fingerprint,
    sending_only: sendingOnlyFingerprint,
    override: input.overrideSuppression,
    domains: domainAndParents(domainOf(input.from.address)),
    addresses: addressesOf(input).map((address) => [address, erasedForm(settings, address)]),
  })

const x = jsonFields<Asked>()

/** For each item: the email that it repeats, its sending domain, and the reason of a refusal. */
const selectVerdicts = prepared((db, { items }: Placeholders<"items">, scope: ScopeText) =>
  db.all<Omit<VerdictRow, "id">>(sql`
    with caller as materialized (${scope.callerRow}),
    finding as materialized (
      select x.key as position, ${prior.id} as prior_id,
        ${prior.fingerprint} = x.value ->> ('$.' || ${caller.permission}) as same,
        ${x.composed} as composed, ${caller.domain_id} as only_domain_id,
        ${verifiedDomain(sql`x.value -> 'domains'`)} as domain_id,
        ${blockingSuppressions({
          team: caller.team_id,
          addresses: sql`select value ->> 0 as address, value ->> 1 as erased
            from json_each(x.value, '$.addresses')`,
          override: sql`(${x.override} and ${caller.permission} = 'full')`,
        })} as suppressed
      from caller cross join json_each(${items}) x
      left join emails prior on ${isPrior(x.key)}
    )
    select position, prior_id, suppressed, domain_id, case
      when same then null
      when prior_id is not null then 'idempotency_conflict'
      when not composed then 'not_composed'
      when domain_id is null then 'domain_not_verified'
      when only_domain_id <> domain_id then 'forbidden'
      when suppressed <> '[]' then 'suppressed_recipient'
    end as refusal
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
  const verdicts = selectVerdicts(ctx, { items: JSON.stringify(items.map(toAsked(ctx))) })
  const [rows, ...results] = await ctx.batch([verdicts, ...alongside])
  // The key was revoked after an earlier batch of the call.
  if (rows.length === 0) throw unauthorized()
  return {
    rows: rows.map((row) => ({ ...row, id: (items[row.position] as Item).id })),
    refusals: rows.filter(({ refusal }) => refusal !== null).map((row) => toRefused(row, items)),
    results: results as Decision<Q>["results"],
  }
}

function toRefused(row: Omit<VerdictRow, "id">, items: readonly Item[]): Refused {
  const item = items[row.position] as Item
  return { index: item.index, error: toError(row, item) }
}

function toError(row: Omit<VerdictRow, "id">, { composed }: Item): ApiError {
  if (!composed.ok && row.refusal === "not_composed") return composed.error
  switch (row.refusal) {
    case "domain_not_verified":
      return new ApiError("domain_not_verified", "No verified domain of the team matches 'from'.")
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
