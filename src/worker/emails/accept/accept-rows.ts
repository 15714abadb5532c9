import { domainOf } from "../../../lib/address.ts"
import { timeOf } from "../../../lib/id.ts"
import { CLOCKS_APART_MS } from "../../../lib/time.ts"
import type { Ctx } from "../../platform/context.ts"
import { ERASED_HOST, erasedForm } from "../../suppressions/erased.ts"
import { storedWords } from "../subject-words.ts"
import { addressesOf, type Item, recipientsOf } from "./prepare.ts"
import { toAsked } from "./verdict.ts"

export type NewRecord = ReturnType<typeof toRecord>

/** The emails of a call as rows, and what the findings on them depend on, each once. */
export function toRecords(ctx: Pick<Ctx, "settings">, items: readonly Item[]) {
  const groups = Map.groupBy(
    items,
    ({ input: { from, overrideSuppression, onSuppressed } }) =>
      `${domainOf(from.address)} ${overrideSuppression} ${onSuppressed}`,
  )
  return {
    records: [...groups.values()].flatMap((members, group) =>
      members.map((item) => toRecord(ctx, item, group)),
    ),
    asked: JSON.stringify([...groups.values()].map((members) => toAsked(ctx, members))),
  }
}

function toRecord({ settings }: Pick<Ctx, "settings">, item: Item, group: number) {
  const { input, composed, scheduled, notBefore } = item
  const message = composed.ok ? composed.message : undefined
  const skips = input.onSuppressed === "skip"
  return {
    id: item.id,
    status: scheduled ? "scheduled" : "queued",
    sender: input.from,
    group,
    recipients: recipientsOf(input).map((one) =>
      skips ? { ...one, hash: hashOf(settings, one.address) } : one,
    ),
    replyTo: input.replyTo,
    subject: message?.subject,
    subjectWords: storedWords(message?.subject ?? ""),
    templateId: message?.templateId,
    tags: input.tags,
    trackOpens: input.trackOpens,
    trackClicks: input.trackClicks,
    overrideSuppression: input.overrideSuppression,
    skipsSuppressed: skips,
    idempotencyKey: input.idempotencyKey,
    fingerprint: item.fingerprint,
    sendingOnlyFingerprint: item.sendingOnlyFingerprint,
    scheduledAt: scheduled ? notBefore : null,
    createdAt: timeOf(item.id),
    // A consumer whose clock is behind may take a queued email, too.
    notBefore: scheduled ? notBefore : notBefore - CLOCKS_APART_MS,
    dueAt: notBefore,
  }
}

const hashOf = (settings: Ctx["settings"], address: string) =>
  erasedForm(settings, address).slice(0, -ERASED_HOST.length)

export const recipientRows = ({ id, input }: Item) =>
  addressesOf(input).map((address) => [id, address])

/** Two rows a tag: its key, and the key with the value. */
export const tagRows = ({ id, input }: Item) =>
  Object.entries(input.tags).flatMap(([key, value]) => [
    [id, key],
    [id, `${key}:${value}`],
  ])
