import { domainAndParents, domainOf } from "../../../lib/address.ts"
import { timeOf } from "../../../lib/id.ts"
import { CLOCKS_APART_MS } from "../../../lib/time.ts"
import type { Settings } from "../../platform/env.ts"
import { erasedForm } from "../../suppressions/erased.ts"
import { addressesOf, type Item, recipientsOf } from "./prepare.ts"

export type NewRecord = ReturnType<typeof toRecord>

/** The emails of a call as rows, with their distinct senders, addresses and idempotency keys. */
export function toRecords(settings: Settings, items: readonly Item[]) {
  const domains = [...new Set(items.map(senderDomain))]
  const numberOf = new Map(domains.map((domain, number) => [domain, number]))
  return {
    records: items.map((item) => toRecord(item, numberOf.get(senderDomain(item)))),
    senders: JSON.stringify(domains.map(domainAndParents)),
    addresses: JSON.stringify(distinctAddresses(settings, items)),
    keys: JSON.stringify(
      items.flatMap(({ id, input: { idempotencyKey: key } }) => (key ? [[key, id]] : [])),
    ),
  }
}

const senderDomain = ({ input }: Item) => domainOf(input.from.address)

/** Each address with its erased form and whether suppressions are overridden. */
function distinctAddresses(
  settings: Settings,
  items: readonly Item[],
): [string, string, boolean][] {
  const overriding = Map.groupBy(items, ({ input }) => input.overrideSuppression)
  return [...overriding].flatMap(([override, members]) =>
    [...new Set(members.flatMap(({ input }) => addressesOf(input)))].map(
      (address): [string, string, boolean] => [address, erasedForm(settings, address), override],
    ),
  )
}

function toRecord(item: Item, senderNumber: number | undefined) {
  const { input, composed, scheduled, notBefore } = item
  const message = composed.ok ? composed.message : undefined
  return {
    id: item.id,
    status: scheduled ? "scheduled" : "queued",
    sender: input.from,
    senderNumber,
    recipients: recipientsOf(input),
    replyTo: input.replyTo,
    subject: message?.subject,
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
