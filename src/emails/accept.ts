import { sql } from "drizzle-orm"
import { fitsRow } from "../db/overflow.ts"
import type { Ctx } from "../env.ts"
import { ApiError, otherDomain } from "../http/errors.ts"
import type { Blocked } from "../suppressions/blocking.ts"
import { foldRepeats, type Item, prepare } from "./accept-item.ts"
import { inserts, type StoredContent, type VerdictRow, verdictsOn } from "./accept-sql.ts"
import { type Composed, composeMessages } from "./compose.ts"
import { gzipContents, storeContent } from "./content.ts"
import { enqueueSends } from "./queue.ts"
import type { SendInput } from "./send-input.ts"

export interface Accepted {
  id: string
  /** The email was accepted by an earlier call with the same idempotency key. */
  replayed: boolean
}

export type Acceptance =
  | { ok: true; accepted: Accepted[] }
  | { ok: false; index: number; error: ApiError }

/**
 * Stores all emails or none, in one round trip. The verdict on each item is a common table
 * expression: the first statement answers it, and the inserts depend on it. If an email has a
 * template, one more round trip reads the templates first.
 */
export async function acceptEmails(ctx: Ctx, inputs: readonly SendInput[]): Promise<Acceptance> {
  const composed = await composeMessages(ctx, inputs)
  const items = inputs.map((input, index) =>
    prepare(ctx, input, composed[index] as Composed, index),
  )
  const { firsts, conflict } = await foldRepeats(ctx, items)
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
    const item = firsts[refused.position] as Item
    return { ok: false, index: item.index, error: toError(refused, item) }
  }
  const fresh = firsts.filter((_, position) => rows[position]?.prior_id === null)
  const used = new Set(fresh.map(({ id }) => id))
  ctx.defer(
    discard(
      ctx,
      contents.filter(({ id }) => !used.has(id)),
    ),
  )
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

/** Large content goes to R2 before its row is stored, so the key is checked first. */
async function storeContents(ctx: Ctx, items: readonly Item[]): Promise<StoredContent[]> {
  const written = items.flatMap(({ id, composed, input: { headers, attachments } }) => {
    if (!composed.ok) return []
    const { html, text } = composed.message
    return { id, content: { html, text, headers, attachments } }
  })
  const bodies = gzipContents(written.map(({ content }) => content))
  const gzipped = written.map(({ id }, index) => ({ id, content: bodies[index] as Buffer }))
  if (!gzipped.every(({ content }) => fitsRow(content))) await ctx.caller()
  return Promise.all(
    gzipped.map(async ({ id, content }) => ({ id, ...(await storeContent(ctx.env, id, content)) })),
  )
}

async function discard(ctx: Ctx, contents: readonly StoredContent[]): Promise<void> {
  const keys = contents.flatMap(({ objectKey }) => objectKey ?? [])
  if (keys.length > 0) await ctx.env.CONTENT.delete(keys)
}

async function enqueueAccepted(ctx: Ctx, items: readonly Item[]): Promise<void> {
  const { team } = await ctx.caller()
  await enqueueSends(
    ctx,
    items.map(({ notBefore }) => ({ teamId: team.id, notBefore, bulk: false })),
  )
}

const idempotencyConflict = () =>
  new ApiError("idempotency_conflict", "This idempotency key was used with another payload before.")

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
