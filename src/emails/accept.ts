import { fitsRow } from "../db/overflow.ts"
import type { Ctx } from "../env.ts"
import type { Item } from "./accept-item.ts"
import { inserts, type StoredContent } from "./accept-sql.ts"
import { gzipContents, storeContent } from "./content.ts"
import { enqueueSends } from "./queue.ts"
import type { SendInput } from "./send-input.ts"
import { decide, prepareEmails, type Refused } from "./verdict.ts"

export interface Accepted {
  id: string
  /** The email was accepted by an earlier call with the same idempotency key. */
  replayed: boolean
}

/** `refusals` are all refused items, the first one included. */
export type Acceptance =
  | { ok: true; accepted: Accepted[] }
  | ({ ok: false; refusals: Refused[] } & Refused)

/**
 * Stores all emails or none, in one round trip. The verdict on each item is a common table
 * expression: the first statement answers it, and the inserts depend on it. If an email has a
 * template, one more round trip reads the templates first.
 */
export async function acceptEmails(ctx: Ctx, inputs: readonly SendInput[]): Promise<Acceptance> {
  const { items, firsts, conflict } = await prepareEmails(ctx, inputs)
  if (conflict) return { ok: false, ...conflict, refusals: [conflict] }
  const contents = await storeContents(ctx, firsts)
  const { rows, refused, refusals } = await decide(ctx, firsts, (verdicts) =>
    inserts(ctx, verdicts, firsts, contents),
  )
  if (refused) {
    ctx.defer(discard(ctx, contents))
    return { ok: false, ...refused, refusals }
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
