import { mapLimit } from "../../../lib/chunk.ts"
import {
  type HeaderField,
  headerFields,
  headerValue,
  splitMessage,
} from "../../../lib/header-fields.ts"
import { ANY_WORD, readMailboxes } from "../../../lib/mailbox-list.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import { oneLine, truncate } from "../../../lib/text.ts"
import { decodeText, filenameOf } from "../../emails/raw/read-parts.ts"
import {
  BODY_TYPES,
  MAX_HEADER_BYTES,
  MAX_HEADER_LINES,
  type Part,
  readStructure,
} from "../../emails/raw/structure.ts"
import { DECODE } from "../../emails/raw/transfer-encoding.ts"
import { ApiError } from "../../platform/http/errors.ts"
import type { NamedAddress, ReceivedKind } from "../contract.ts"
import type { Details, StoredAttachment } from "../table.ts"
import { replyTextOf, replyTextOfHtml } from "./reply-text.ts"

/** RFC 3464, and RFC 6533 with addresses beyond ASCII. */
export const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"]

const LARGE_BYTES = 1024 * 1024
/** Longer texts are cut: the message as it came has all. */
const MAX_TEXT_CHARACTERS = 1024 * 1024
const MAX_MAILBOXES = 200
const MAX_REFERENCES = 50
const MAX_SUBJECT_CHARACTERS = 998
const MAX_ID_CHARACTERS = 998
const MAX_NAME_CHARACTERS = 320

export interface Texts {
  text: string | null
  html: string | null
  replyText: string | null
  headers: { name: string; value: string }[]
}

export interface ParsedMessage extends Texts {
  /** False if only its header can be read. */
  isWhole: boolean
  kind: Exclude<ReceivedKind, "unsubscribe">
  from: NamedAddress | null
  /** Null where several are named: a signature proves none of them. */
  author: NamedAddress | null
  subject: string
  messageId: string | null
  details: Omit<Details, "sender">
  parts: readonly Part[]
  bytes: Buffer
}

/**
 * `bytes` are those of `loadMessage`, `size` is that of the message as it came. Files are measured, not decoded.
 * Other calls have their turn between the steps, each of which may take a tenth of a second.
 */
export async function parseMessage(bytes: Buffer, size = bytes.length): Promise<ParsedMessage> {
  const { decodeWords } = await import("../../../lib/decode-words.ts")
  const endStep = async () => {
    if (bytes.length > LARGE_BYTES) await nextTurn()
  }
  const fields = readFields(bytes)
  await endStep()
  const parts = await readParts(bytes)
  await endStep()
  const files = await mapLimit((parts ?? []).filter(isAttachment), 1, (part) =>
    attachmentOf(bytes, part, decodeWords),
  )
  await endStep()
  const texts = await textsOf(bytes, parts ?? [])
  const fieldValue = (name: string) => {
    const field = fields.find((field) => field.name === name)
    return field && headerValue(field)
  }
  const mailboxes = (name: string) => readAddresses(fieldValue(name), decodeWords)
  const ids = (name: string) => readIds(fieldValue(name))
  const authors = fields
    .filter(({ name }) => name === "from")
    .flatMap((field) => readAddresses(headerValue(field), decodeWords))
  return {
    isWhole: parts !== null,
    kind: kindOf(parts ?? [], fieldValue),
    from: authors[0] ?? null,
    author: (authors.length === 1 && authors[0]) || null,
    subject: shorten(decodeWords(fieldValue("subject") ?? ""), MAX_SUBJECT_CHARACTERS),
    messageId: ids("message-id")[0] ?? null,
    details: {
      to: mailboxes("to"),
      cc: mailboxes("cc"),
      replyTo: mailboxes("reply-to"),
      inReplyTo: ids("in-reply-to")[0] ?? null,
      references: ids("references").slice(-MAX_REFERENCES),
      attachments: files,
      hasBareLineEnds: bytes.length !== size,
    },
    headers: fields.map((field) => ({
      name: field.text.slice(0, field.text.indexOf(":")).trim(),
      value: decodeWords(headerValue(field)),
    })),
    ...texts,
    parts: parts ?? [],
    bytes,
  }
}

type NamedField = HeaderField & { name: string }

/** The first fields of a header that is too large, without what is no field. */
function readFields(bytes: Buffer): NamedField[] {
  const { head } = splitMessage(bytes, MAX_HEADER_BYTES)
  const isNamed = (field: HeaderField): field is NamedField => field.name !== null
  return headerFields(head.toString("latin1", 0, MAX_HEADER_BYTES))
    .slice(0, MAX_HEADER_LINES)
    .filter(isNamed)
}

/** Null for a message with too many parts, too deep ones, or too large a header. */
async function readParts(bytes: Buffer): Promise<Part[] | null> {
  try {
    return await readStructure(bytes)
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function kindOf(parts: readonly Part[], fieldValue: (name: string) => string | undefined) {
  const own = parts.filter(({ isAttached }) => !isAttached)
  const report = parts[0]?.parameters["report-type"]?.toLowerCase()
  const has = (type: string) => own.some((part) => part.type === type)
  if (report === "feedback-report" && has("message/feedback-report")) return "complaint"
  if (report === "delivery-status" && STATUS_TYPES.some(has)) return "bounce"
  const isAutomatic = !/^(no\b|$)/i.test(fieldValue("auto-submitted")?.trim() ?? "")
  const isBulk = /^(bulk|junk|list)\b/i.test(fieldValue("precedence")?.trim() ?? "")
  return isAutomatic || isBulk ? "autoReply" : "message"
}

const shorten = (text: string, most: number) => truncate(oneLine(text), most)

function readAddresses(value: string | undefined, decode: (text: string) => string) {
  return readMailboxes(value ?? "", ANY_WORD)
    .slice(0, MAX_MAILBOXES)
    .flatMap((mailbox): NamedAddress[] =>
      mailbox
        ? [
            {
              email: mailbox.address,
              name: shorten(decode(mailbox.name ?? ""), MAX_NAME_CHARACTERS) || null,
            },
          ]
        : [],
    )
}

/** Message ids as they are written, in their brackets. */
const readIds = (value = ""): string[] =>
  [...new Set(value.match(/<[^<>\s]+>/g))].filter((id) => id.length <= MAX_ID_CHARACTERS)

const isShown = (part: Part, type: string) => part.type === type && !part.isFile && !part.isAttached

async function textsOf(bytes: Buffer, parts: readonly Part[]): Promise<Omit<Texts, "headers">> {
  async function read(type: string): Promise<string | null> {
    const shown = parts.filter((part) => isShown(part, type))
    if (shown.length === 0) return null
    let left = MAX_TEXT_CHARACTERS
    const texts: string[] = []
    for (const part of shown) {
      const text = await decodeText(bytes, part, left)
      left -= text.length
      texts.push(text)
      if (part.end - part.start > LARGE_BYTES) await nextTurn()
    }
    return texts.join("\n")
  }
  const [text, html] = [await read("text/plain"), await read("text/html")]
  const isPlain = text?.trim() || html === null
  const replyText = isPlain ? text && replyTextOf(text) : await replyTextOfHtml(html)
  return { text, html, replyText }
}

const isAttachment = ({ type, isFile, isAttached }: Part) =>
  !isAttached && !type.startsWith("multipart/") && (isFile || !BODY_TYPES.has(type))

async function attachmentOf(
  bytes: Buffer,
  part: Part,
  decode: (text: string) => string,
): Promise<StoredAttachment> {
  const { type, contentId, encoding, start, end } = part
  return {
    filename: shorten(filenameOf(part, decode) ?? "", 255) || null,
    contentType: type,
    size: await sizeOf(bytes, part),
    contentId,
    encoding,
    start,
    end,
  }
}

/** The bytes of a part, without decoding them. */
async function sizeOf(bytes: Buffer, { encoding, start, end }: Part): Promise<number> {
  const decode = DECODE.get(encoding)
  return decode ? decode(bytes.subarray(start, end)) : end - start
}
