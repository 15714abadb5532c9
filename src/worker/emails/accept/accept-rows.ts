import { domainOf } from "../../../lib/address.ts"
import { timeOf } from "../../../lib/id.ts"
import { CLOCKS_APART_MS } from "../../../lib/time.ts"
import type { Ctx } from "../../platform/context.ts"
import { storedWords } from "../subject-words.ts"
import { addressesOf, type Item, recipientsOf } from "./prepare.ts"
import { toAsked } from "./verdict.ts"

export type NewRecord = ReturnType<typeof toRecord>

/** The emails of a call as rows, and what the findings on them depend on, each once. */
export function toRecords(ctx: Pick<Ctx, "settings">, items: readonly Item[]) {
  const groups = Map.groupBy(
    items,
    ({ input }) => `${domainOf(input.from.address)} ${input.overrideSuppression}`,
  )
  return {
    records: [...groups.values()].flatMap((members, group) =>
      members.map((item) => toRecord(item, group)),
    ),
    asked: JSON.stringify([...groups.values()].map((members) => toAsked(ctx, members))),
  }
}

function toRecord(item: Item, group: number) {
  const { input, composed, scheduled, notBefore } = item
  const message = composed.ok ? composed.message : undefined
  return {
    id: item.id,
    status: scheduled ? "scheduled" : "queued",
    sender: input.from,
    group,
    recipients: recipientsOf(input),
    replyTo: input.replyTo,
    subject: message?.subject,
    subjectWords: storedWords(message?.subject ?? ""),
    templateId: message?.templateId,
    tags: input.tags,
    trackOpens: input.trackOpens,
    trackClicks: input.trackClicks,
    overrideSuppression: input.overrideSuppression,
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

export const recipientRows = ({ id, input }: Item) =>
  addressesOf(input).map((address) => [id, address])

/** Two rows a tag: its key, and the key with the value. */
export const tagRows = ({ id, input }: Item) =>
  Object.entries(input.tags).flatMap(([key, value]) => [
    [id, key],
    [id, `${key}:${value}`],
  ])
