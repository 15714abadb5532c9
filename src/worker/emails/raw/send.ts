import type { Mailbox } from "../../../lib/address.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { sendEmail } from "../accept/send.ts"
import type { RawMessage } from "../raw-message.ts"
import type { sendRawEmail as contract } from "./contract.ts"
import { readRaw } from "./read.ts"

export async function sendRawEmail(ctx: Ctx, { query, headers, file }: InputOf<typeof contract>) {
  const { to: envelope, tag: tags, scheduledAt, ...options } = query
  const raw = await readRaw(file)
  const input = {
    ...options,
    scheduledAt,
    ...recipientsOf(raw, envelope),
    from: raw.from,
    replyTo: raw.replyTo,
    subject: raw.subject,
    headers: {},
    attachments: [],
    tags,
    overrideSuppression: false,
    raw,
  }
  return sendEmail(ctx, input, headers["idempotency-key"])
}

/** The envelope decides alone who gets the message. Addresses that no header names are bcc. */
function recipientsOf(raw: RawMessage, envelope: readonly string[]) {
  const left = new Set(envelope)
  const take = (named: Mailbox[]) => named.filter(({ address }) => left.delete(address))
  const [to, cc] = [take(raw.to), take(raw.cc)]
  return { to, cc, bcc: [...left].map((address) => ({ address })) }
}
