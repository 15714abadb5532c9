import type { Mailbox } from "../../../lib/address.ts"
import { MINUTE_MS } from "../../../lib/time.ts"
import type { Work } from "../../platform/context.ts"
import { dispositionOf, withTypes } from "../mime.ts"
import {
  envelopeRecipients,
  mailed,
  type OutgoingMessage,
  type Provider,
  partBytes,
  type SendResult,
} from "../provider.ts"
import { cloudflareIdentities } from "./identities.ts"

const MAX_BYTES = 5 * 1024 * 1024
/** Base64 and quoted-printable make parts longer. */
const MAX_RAW_BYTES = 3 * MAX_BYTES
const TOO_LARGE = {
  ok: false,
  retryable: false,
  reason: "Cloudflare Email Service takes at most 5 MiB a message.",
} as const
const MAX_RECIPIENTS = 50
const MAX_HEADER_BYTES = 2_048

/** Events are published within seconds, and come through a queue. */
const SETTLE_MS = 5 * MINUTE_MS

/** Marks message ids of this provider. Its events name an email only by the message id. */
const MESSAGE_ID_PREFIX = "cf:"

/** After these errors any message may be accepted later. */
const FAULTS_OF_PROVIDER = [
  "E_RATE_LIMIT_EXCEEDED",
  "E_DAILY_LIMIT_EXCEEDED",
  "E_INTERNAL_SERVER_ERROR",
]

const OF_PROVIDER = { ok: false, retryable: true, fault: "provider" } as const

export const cloudflare = (work: Work): Provider => ({
  name: "cloudflare",
  maxBytes: MAX_BYTES,
  settleMs: SETTLE_MS,
  identities: cloudflareIdentities(work.settings),
  refusesBulk:
    "Cloudflare Email Service takes transactional mail only. BULK_PROVIDER names another provider for campaigns.",

  async send(outgoing) {
    const { raw, ...parts } = outgoing
    if (raw && raw.length > MAX_RAW_BYTES) return TOO_LARGE
    const content = raw ? { ...parts, ...(await partsOf(raw)) } : parts
    const { headers, leftOut } = takenHeaders(content.headers)
    const message = { ...content, headers }
    const reason = overLimit(message)
    if (reason) return { ok: false, retryable: false, reason }
    if (!work.env.EMAIL) {
      return { ...OF_PROVIDER, reason: "The binding EMAIL is not configured." }
    }
    const builder = await toBuilder(message)
    try {
      const { messageId } = await work.env.EMAIL.send(builder)
      return {
        ok: true,
        providerMessageId: storedMessageId(messageId),
        acceptedAt: work.now(),
        ...(leftOut.length > 0 && {
          reason: `Left out, since Cloudflare Email Service does not take them: ${leftOut.join(", ")}.`,
        }),
      }
    } catch (error) {
      return toFault(error)
    }
  },
})

const partsOf = async (raw: Buffer) => (await import("../../emails/raw/parts.ts")).readParts(raw)

/** Cloudflare's id of a message, as the database stores it. */
export const storedMessageId = (id: string) => `${MESSAGE_ID_PREFIX}${id.replace(/^<|>$/g, "")}`

/** Why the service would refuse the message; null if it would not. */
function overLimit(message: OutgoingMessage): string | null {
  const { headers, replyTo } = message
  if (partBytes(message) > MAX_BYTES) return TOO_LARGE.reason
  if (envelopeRecipients(message).length > MAX_RECIPIENTS) {
    return `Cloudflare Email Service takes at most ${MAX_RECIPIENTS} recipients.`
  }
  if (mailed(message, "to").length + mailed(message, "cc").length === 0)
    return "Cloudflare Email Service needs a recipient in to or cc that is not suppressed."
  if (replyTo.length > 1) return "Cloudflare Email Service takes one Reply-To address."
  const long = Object.entries(headers).find(
    ([, value]) => Buffer.byteLength(value) > MAX_HEADER_BYTES,
  )
  return long ? `Cloudflare Email Service takes at most 2,048 bytes a header: ${long[0]}.` : null
}

/** Cloudflare writes the headers from those who get the message, and there must be one in `to`. */
async function toBuilder(message: OutgoingMessage) {
  const { from, replyTo, subject, html, text, headers, attachments } = message
  const [named, copied] = [mailed(message, "to"), mailed(message, "cc")]
  const [to, cc] = named.length > 0 ? [named, copied] : [copied, []]
  const bcc = mailed(message, "bcc")
  return {
    from: toAddress(from),
    to: to.map(toAddress),
    ...(cc.length > 0 && { cc: cc.map(toAddress) }),
    ...(bcc.length > 0 && { bcc: bcc.map(toAddress) }),
    subject,
    headers,
    ...(replyTo[0] && { replyTo: toAddress(replyTo[0]) }),
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    attachments: (await withTypes(attachments)).map(toAttachment),
  }
}

function toAttachment(attachment: Awaited<ReturnType<typeof withTypes>>[number]) {
  const { filename, content, contentType, contentId } = attachment
  return {
    filename,
    type: contentType,
    content: Buffer.from(content, "base64"),
    ...(contentId && dispositionOf(attachment) === "inline"
      ? { disposition: "inline" as const, contentId }
      : { disposition: "attachment" as const }),
  }
}

const toAddress = ({ address, name }: Mailbox) => (name ? { email: address, name } : address)

/** A refusal has a code. An error without one is an interrupted call. */
function toFault(error: unknown): SendResult {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  const message = error instanceof Error ? error.message : String(error)
  const reason = `Cloudflare Email Service: ${code && `${code}: `}${message}`
  if (!code.startsWith("E_")) return { ok: false, retryable: true, unanswered: true, reason }
  return FAULTS_OF_PROVIDER.includes(code)
    ? { ...OF_PROVIDER, reason }
    : { ok: false, retryable: false, reason }
}

/** Beside `X-*`. Source: developers.cloudflare.com/email-service/reference/headers. */
const TAKEN = new Set([
  ...["in-reply-to", "references"],
  ...["list-unsubscribe", "list-unsubscribe-post", "list-id", "list-archive", "list-help"],
  ...["list-owner", "list-post", "list-subscribe", "precedence", "auto-submitted"],
  ...["content-language", "keywords", "comments", "importance", "priority", "sensitivity"],
  ...["organization", "require-recipient-valid-since", "expires", "reply-by", "archived-at"],
])

/** Email Service refuses a message because of one header that it does not take. */
function takenHeaders(headers: Record<string, string>) {
  const isTaken = ([name, value]: [string, string]) =>
    value !== "" && (/^x-/i.test(name) || TAKEN.has(name.toLowerCase()))
  const { taken = [], leftOut = [] } = Object.groupBy(Object.entries(headers), (header) =>
    isTaken(header) ? "taken" : "leftOut",
  )
  return { headers: Object.fromEntries(taken), leftOut: leftOut.map(([name]) => name) }
}
