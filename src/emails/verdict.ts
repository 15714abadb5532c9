import { type SQL, sql } from "drizzle-orm"
import type { Queries, Results } from "../db/client.ts"
import type { Ctx } from "../env.ts"
import { ApiError, otherDomain } from "../http/errors.ts"
import type { Blocked } from "../suppressions/blocking.ts"
import { foldRepeats, type Item, prepare } from "./accept-item.ts"
import { type VerdictRow, verdictsOn } from "./accept-sql.ts"
import { type Composed, composeMessages } from "./compose.ts"
import type { SendInput } from "./send-input.ts"

export interface Refused {
  index: number
  error: ApiError
}

export interface Prepared {
  items: Item[]
  /** Each email once: without the items that repeat an earlier one. */
  firsts: Item[]
  /** An item repeats the idempotency key of an earlier one with another input. */
  conflict: Refused | null
}

/** Composes the emails of a call. Where one has a template, a round trip reads the templates. */
export async function prepareEmails(ctx: Ctx, inputs: readonly SendInput[]): Promise<Prepared> {
  const composed = await composeMessages(ctx, inputs)
  const items = inputs.map((input, index) =>
    prepare(ctx, input, composed[index] as Composed, index),
  )
  const { firsts, conflict } = await foldRepeats(ctx, items)
  if (conflict) await ctx.caller()
  return {
    items,
    firsts,
    conflict: conflict ? { index: conflict.index, error: idempotencyConflict() } : null,
  }
}

export interface Decision<Q extends Queries> {
  rows: VerdictRow[]
  /** The first item that is refused. */
  refused: Refused | null
  /** All of them. */
  refusals: Refused[]
  /** What the statements that follow the verdict answered. */
  results: Results<Q>
}

/**
 * Decides on the emails of a call, for those who send and for those who only ask. The statements
 * that `follow` run in the same batch, right after the verdict that they may obey.
 */
export async function decide<Q extends Queries>(
  ctx: Ctx,
  items: readonly Item[],
  follow: (verdicts: SQL) => Q,
): Promise<Decision<Q>> {
  const verdicts = verdictsOn(ctx, items)
  const [rows, ...results] = await ctx.batch([
    ctx.db.all<VerdictRow>(
      sql`with ${verdicts} select position, id, prior_id, refusal, suppressed, domain_id
        from verdict order by position`,
    ),
    ...follow(verdicts),
  ] as const)
  const refusals = rows
    .filter(({ refusal }) => refusal !== null)
    .map((row) => toRefused(row, items))
  return {
    rows,
    refused: refusals[0] ?? null,
    refusals,
    results: results as unknown as Results<Q>,
  }
}

function toRefused(row: VerdictRow, items: readonly Item[]): Refused {
  const item = items[row.position] as Item
  return { index: item.index, error: toError(row, item) }
}

function toError(row: VerdictRow, { composed }: Item): ApiError {
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

const idempotencyConflict = () =>
  new ApiError("idempotency_conflict", "This idempotency key was used with another payload before.")
