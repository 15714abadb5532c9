import { newId } from "../../../lib/id.ts"
import type { Ctx } from "../../platform/context.ts"
import { ApiError } from "../../platform/http/errors.ts"
import type { SendInput } from "../send-input.ts"
import type { Recipient } from "../table.ts"
import { type Composed, composeMessages } from "./compose.ts"
import { type Fingerprints, fingerprintsOf } from "./fingerprint.ts"
import type { Refused } from "./verdict.ts"

/** An email due later than this is scheduled, not queued. */
const SCHEDULED_FROM_MS = 5_000

/** One email of a call, before it is accepted. */
export interface Item extends Fingerprints {
  index: number
  id: string
  input: SendInput
  composed: Composed
  scheduled: boolean
  notBefore: number
  /** The earlier item of the call with the same idempotency key. */
  repeats?: Item
}

interface Prepared {
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
  return { items, ...(await foldRepeats(ctx, items)) }
}

export function prepare(
  ctx: Pick<Ctx, "now">,
  input: SendInput,
  composed: Composed,
  index: number,
): Item {
  const now = ctx.now()
  const scheduled = (input.scheduledAt ?? 0) > now + SCHEDULED_FROM_MS
  return {
    index,
    id: newId("email", now),
    input,
    composed,
    ...fingerprintsOf(input),
    scheduled,
    notBefore: scheduled ? (input.scheduledAt as number) : now,
  }
}

/** Items of a call with the same idempotency key are one email, or a conflict if they differ. */
async function foldRepeats(ctx: Ctx, items: Item[]): Promise<Omit<Prepared, "items">> {
  const byKey = new Map<string, Item>()
  const firsts: Item[] = []
  for (const item of items) {
    const key = item.input.idempotencyKey
    const first = key === undefined ? undefined : byKey.get(key)
    if (first) {
      if (!(await areSame(ctx, first, item))) {
        return { firsts, conflict: { index: item.index, error: idempotencyConflict() } }
      }
      item.repeats = first
    } else {
      if (key !== undefined) byKey.set(key, item)
      firsts.push(item)
    }
  }
  return { firsts, conflict: null }
}

async function areSame(ctx: Ctx, first: Item, item: Item): Promise<boolean> {
  if (first.fingerprint === item.fingerprint) return true
  const { permission } = await ctx.caller()
  return (
    permission === "sending_only" && first.sendingOnlyFingerprint === item.sendingOnlyFingerprint
  )
}

export const recipientsOf = ({ to, cc, bcc }: SendInput): Recipient[] => [
  ...to.map((mailbox) => ({ ...mailbox, as: "to" as const })),
  ...cc.map((mailbox) => ({ ...mailbox, as: "cc" as const })),
  ...bcc.map((mailbox) => ({ ...mailbox, as: "bcc" as const })),
]

export const addressesOf = (input: SendInput) => [
  ...new Set(recipientsOf(input).map(({ address }) => address)),
]

export const idempotencyConflict = () =>
  new ApiError("idempotency_conflict", "This idempotency key was used with another payload before.")
