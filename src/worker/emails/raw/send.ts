import { isUtf8 } from "node:buffer"
import { domainOf, formatMailbox, type Mailbox } from "../../../lib/address.ts"
import {
  type HeaderField,
  headerFields,
  headerValue,
  splitMessage,
} from "../../../lib/header-fields.ts"
import { measureLines, withLineEnds } from "../../../lib/line-ends.ts"
import { ANY_WORD, readMailboxes } from "../../../lib/mailbox-list.ts"
import { oneLine, truncate } from "../../../lib/text.ts"
import type { Ctx } from "../../platform/context.ts"
import type { InputOf } from "../../platform/http/endpoint.ts"
import { ApiError, invalid } from "../../platform/http/errors.ts"
import { sendEmail } from "../accept/send.ts"
import { steersProvider } from "../header-names.ts"
import { MAX_RECIPIENTS, mayHaveId, SEND_MAX_BYTES } from "../send-input.ts"
import type { sendRawEmail as contract } from "./contract.ts"
import type { RawMessage } from "./raw-message.ts"
import { readStructure } from "./structure.ts"

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

const MAX_LINE_OCTETS = 998
const MAX_SUBJECT_CHARACTERS = 998
const MAX_MAILBOX_CHARACTERS = 320

/** Reads the header block. The body is only measured. Throws an `ApiError` that names the place. */
async function readRaw(received: Uint8Array): Promise<RawMessage> {
  const bytes = normalized(Buffer.from(received.buffer, received.byteOffset, received.byteLength))
  const { head, body } = splitMessage(bytes)
  await readStructure(bytes)
  const given = headerFields(head.toString("latin1"))
  for (const field of given) checkField(field)
  const of = (name: string) => given.filter((field) => field.name === name)
  const from = readSender(of("from"))
  const decode = await wordDecoder(head)
  const named = (name: string) =>
    of(name)
      .flatMap((field) => readMailboxes(headerValue(field), ANY_WORD))
      .flatMap((mailbox) => (mailbox ? withName(mailbox, decode) : []))
  const fields = takeOut(given, from)
  const sent = Buffer.from(`${fields.map(({ text }) => text).join("\r\n")}\r\n\r\n`, "latin1")
  const ids = fields.filter(({ name }) => name === "message-id")
  return {
    from: withName(from, decode),
    to: named("to"),
    cc: named("cc"),
    replyTo: named("reply-to").slice(0, MAX_RECIPIENTS),
    subject: truncate(
      oneLine(decode(headerValue(of("subject")[0] ?? NO_FIELD))),
      MAX_SUBJECT_CHARACTERS,
    ),
    messageId: ids[0] && headerValue(ids[0]),
    hasDate: of("date").length > 0,
    hasMimeVersion: of("mime-version").length > 0,
    pieces: [sent, body],
  }
}

const NO_FIELD = { text: "" }

/** The message with CRLF at the end of each line. */
function normalized(received: Buffer): Buffer {
  const lines = measureLines(received, MAX_LINE_OCTETS)
  if (lines.tooLong !== null)
    throw invalid([], `Line ${lines.tooLong} has more than ${MAX_LINE_OCTETS} octets`)
  if (received.length + lines.bare > SEND_MAX_BYTES)
    throw new ApiError(
      "payload_too_large",
      `With CRLF at the end of each line, the message may have at most ${SEND_MAX_BYTES} bytes.`,
    )
  return withLineEnds(received, lines)
}

function checkField({ name, text, line }: HeaderField): void {
  if (name === null) throw invalid([], `Line ${line} is no header field`)
  if (!isUtf8(Buffer.from(text, "latin1")))
    throw invalid([], `Line ${line}: the header field is not UTF-8`)
}

function readSender([field, second]: HeaderField[]): Mailbox {
  if (!field) throw invalid(["from"], "The message has no From field.")
  if (second) throw invalid(["from"], `Line ${second.line}: the message has a second From field.`)
  const [from, another] = readMailboxes(headerValue(field), ANY_WORD)
  if (!from || another !== undefined)
    throw invalid(["from"], `Line ${field.line}: From must have exactly one mailbox.`)
  return from
}

/** Encoded words need a library that is loaded where there are any. */
async function wordDecoder(head: Buffer): Promise<(text: string) => string> {
  return head.includes("=?")
    ? (await import("../../../lib/decode-words.ts")).decodeWords
    : (text) => text
}

/** Without a name that is too long for the record. */
function withName({ address, name = "" }: Mailbox, decode: (text: string) => string): Mailbox {
  const mailbox = { address, name: oneLine(decode(name)) }
  const isNamed = mailbox.name !== "" && formatMailbox(mailbox).length <= MAX_MAILBOX_CHARACTERS
  return isNamed ? mailbox : { address }
}

const TAKEN_OUT = new Set(["bcc", "resent-bcc", "return-path", "received"])

function takeOut(fields: readonly HeaderField[], from: Mailbox): HeaderField[] {
  let hasId = false
  return fields.flatMap((field) => {
    const { name, text } = field
    if (name === null || TAKEN_OUT.has(name) || steersProvider(name)) return []
    if (name === "dkim-signature") return isOfDomain(field, from) ? [] : [field]
    if (name !== "message-id") return [field]
    const stays = !hasId && mayHaveId(from.address, headerValue(field))
    hasId ||= stays
    return stays ? [field] : [{ ...field, ...replaced(text) }]
  })
}

/** A `Message-ID` of another domain. */
const replaced = (text: string) => ({
  name: "x-original-message-id",
  text: `X-Original-Message-ID${text.slice(text.indexOf(":"))}`,
})

/** The provider signs for the sender's domain, and this signature may not hold any more. */
function isOfDomain(field: HeaderField, { address }: Mailbox): boolean {
  const [, signing = ""] = /(?:^|;)\s*d\s*=\s*([^\s;]+)/i.exec(headerValue(field)) ?? []
  const [one, other] = [`.${signing.toLowerCase()}`, `.${domainOf(address)}`]
  return one.endsWith(other) || other.endsWith(one)
}
