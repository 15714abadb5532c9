import { logError } from "../../../lib/log.ts"
import type { Ctx } from "../../platform/context.ts"
import { afterCommit, commit, type Statement } from "../../platform/db/commit.ts"
import { deleteObjects, type Packed } from "../../platform/db/overflow.ts"
import { packContents } from "../../platform/db/packed-content.ts"
import type { Blocked } from "../../suppressions/blocking.ts"
import { storeContent } from "../content.ts"
import { reportOf } from "../outcomes/report.ts"
import { enqueueSends, getsMessage } from "../queue.ts"
import type { SendInput } from "../send-input.ts"
import { inserts, type StoredContent } from "./accept.sql.ts"
import { addressesOf, type Item, prepareEmails } from "./prepare.ts"
import { decide, type Refused, selectVerdicts, toAsked } from "./verdict.ts"

interface Accepted {
  id: string
  /** The email was accepted by an earlier call with the same idempotency key. */
  replayed: boolean
}

/** Statements that join the batch which stores these emails, or finds that it may not. */
export type Alongside = (ids: readonly string[]) => Statement[]

type Acceptance =
  | { ok: true; accepted: Accepted[] }
  | { ok: false; refusals: [Refused, ...Refused[]] }

/**
 * Stores all emails or none, in one round trip. If an email has a template, one more round trip
 * reads the templates first. If nothing was stored, one more round trip asks for the reason: an
 * email is refused, or an earlier call has stored it.
 */
export async function acceptEmails(
  ctx: Ctx,
  inputs: readonly SendInput[],
  alongside: Alongside = () => [],
): Promise<Acceptance> {
  const { items, firsts, conflict } = await prepareEmails(ctx, inputs)
  if (conflict) return { ok: false, refusals: [conflict] }
  const contents = await storeContents(ctx, firsts)
  const priorIds = new Map<string, string>()
  const isFresh = ({ id }: { id: string }) => !priorIds.has(id)
  let isStored = await insert(ctx, firsts, contents, alongside)
  while (!isStored) {
    const { rows, refusals } = await decide(ctx, firsts.filter(isFresh), [])
    const [refused, ...others] = refusals
    if (refused) {
      discard(ctx, contents)
      return { ok: false, refusals: [refused, ...others] }
    }
    for (const { id, prior_id } of rows) if (prior_id !== null) priorIds.set(id, prior_id)
    isStored = await insert(ctx, firsts.filter(isFresh), contents.filter(isFresh), alongside)
  }
  discard(
    ctx,
    contents.filter((one) => !isFresh(one)),
  )
  const accepted = items.map((item) => {
    const { id } = item.repeats ?? item
    const priorId = priorIds.get(id)
    return { id: priorId ?? id, replayed: item.repeats !== undefined || priorId !== undefined }
  })
  return { ok: true, accepted }
}

async function insert(
  ctx: Ctx,
  items: readonly Item[],
  contents: readonly StoredContent[],
  alongside: Alongside,
) {
  if (items.length === 0) return true
  if (!items.every(({ composed }) => composed.ok)) return false
  const { emails, beside } = inserts(ctx, items, contents)
  const stored = afterCommit(emails, (_, { meta }) =>
    meta.changes > 0 && items.some((item) => getsMessage(ctx, item))
      ? enqueueAccepted(ctx, items)
      : undefined,
  )
  const skipping = items.filter(skipsSuppressed)
  const { inserted, verdicts } = await commit(ctx, {
    inserted: stored,
    beside,
    alongside: alongside(items.map(({ id }) => id)),
    verdicts: skipping.length > 0 ? [selectSkipped(ctx, skipping)] : [],
  })
  if (inserted.meta.changes === 0) return false
  if (skipping.length > 0) await cancelUnsendable(ctx, skipping, verdicts.flat())
  return true
}

async function storeContents(ctx: Ctx, items: readonly Item[]): Promise<StoredContent[]> {
  // A whole message never comes in a batch.
  const [item] = items
  if (item?.input.raw) {
    const { packRaw } = await import("../raw/pack.ts")
    const packed = packRaw(item.id, item.notBefore, item.input.raw)
    return [{ id: item.id, ...(await storeContent(ctx, item.id, packed)) }]
  }
  const written = items.flatMap(({ id, composed, input }) => {
    if (!composed.ok) return []
    const { html, text } = composed.message
    const { headers, messageId, attachments } = input
    return { id, content: { html, text, headers, messageId, attachments } }
  })
  const packed = packContents(written.map(({ content }) => content))
  return Promise.all(
    written.map(async ({ id }, index) => ({
      id,
      ...(await storeContent(ctx, id, packed[index] as Packed)),
    })),
  )
}

function discard(ctx: Ctx, contents: readonly StoredContent[]): void {
  ctx.defer(deleteObjects(ctx.env, contents))
}

async function enqueueAccepted(ctx: Ctx, items: readonly Item[]): Promise<void> {
  const { team } = await ctx.caller()
  await enqueueSends(
    ctx,
    items.map(({ notBefore }) => ({ teamId: team.id, notBefore, bulk: false })),
  )
}

const skipsSuppressed = ({ input }: Item) => input.onSuppressed === "skip"

/** The suppressed recipients of each item, as a statement of the batch that stores them. */
const selectSkipped = (ctx: Ctx, items: readonly Item[]) =>
  selectVerdicts(ctx, { asked: JSON.stringify(items.map((item) => toAsked(ctx, [item]))) })

/** Cancels the emails that have nobody left. If this fails, the claim of an email does it. */
async function cancelUnsendable(
  ctx: Ctx,
  items: readonly Item[],
  verdicts: readonly { suppressed: string }[],
): Promise<void> {
  const { team } = await ctx.caller()
  const reports = items.flatMap(({ id, input }, index) => {
    const blocked: Blocked[] = JSON.parse(verdicts[index]?.suppressed ?? "[]")
    const recipients = blocked.map(({ email }) => email)
    if (!addressesOf(input).every((address) => recipients.includes(address))) return []
    const ref = { teamId: team.id, emailId: id }
    const data = { reason: "suppressed_recipient", recipients }
    return [
      // A millisecond earlier, so that the timeline lists it before `cancelled`.
      reportOf(ref, "suppressed", ctx.now() - 1, { recipients }),
      reportOf(ref, "cancelled", ctx.now(), data),
    ].map((report) => ({ ...report, unlessClaimed: true as const }))
  })
  if (reports.length === 0) return
  const { recordEvents } = await import("../outcomes/record.ts")
  await recordEvents(ctx, reports).catch((error) => logError(error))
}
