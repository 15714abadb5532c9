import { normalizeAddress } from "../../../lib/address.ts"
import type { Work } from "../../platform/context.ts"
import { MAX_MESSAGE_BYTES } from "../contract.ts"
import { findInbox } from "../inboxes/find-inbox.ts"
import { takeMessage } from "./take.ts"

/** A message of Cloudflare Email Routing. What throws is tried again by its sender. */
export async function receive(work: Work, message: ForwardableEmailMessage): Promise<void> {
  const to = normalizeAddress(message.to)
  const found = to && (await findInbox(work, to))
  if (!found) return message.setReject("550 5.1.1 There is no such recipient here")
  if (message.rawSize > MAX_MESSAGE_BYTES)
    return message.setReject("552 5.3.4 The message is too large")
  const { work: there, ...recipient } = found
  await takeMessage(there, {
    ...recipient,
    envelope: { from: normalizeAddress(message.from) ?? "", to },
    message: message.raw,
    size: message.rawSize,
  })
}
