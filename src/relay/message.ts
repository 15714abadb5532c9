import { detectExtension } from "nodemailer/lib/mime-funcs"
import PostalMime, { type Address, type Attachment, type Email } from "postal-mime"
import type { SendInput } from "../client/index.ts"
import { formatMailbox, type Mailbox, normalizeAddress } from "../lib/address.ts"
import { CONTROL_CHARACTERS } from "../lib/text.ts"
import {
  attachment as attachmentShape,
  MAX_HEADERS,
  mayHaveId,
  sendInput,
} from "../worker/emails/send-input.ts"
import { refusal } from "./replies.ts"

/** A message for the API, without its recipients: these come from the envelope. */
export interface ParsedMessage {
  content: Omit<SendInput, "to" | "cc" | "bcc">
  visible: { to: Mailbox[]; cc: Mailbox[] }
  messageId: string | null
  date: string | null
}

export async function readMessage(bytes: ArrayBuffer): Promise<ParsedMessage> {
  const email = await parse(bytes)
  const [from] = mailboxes([email.from])
  if (!from) throw refusal(501, "5.6.0 The message has no valid From address")
  const { html, attachments } = readParts(email)
  const { text = html ? undefined : "\n" } = email
  const messageId = oneLine(email.messageId ?? "") || null
  return {
    content: {
      from: format(from),
      replyTo: mailboxes(email.replyTo).map(format),
      // The API requires a subject and a body, which mail from devices often lacks.
      subject: oneLine(email.subject ?? "") || "(no subject)",
      ...(text && { text }),
      ...(html && { html }),
      headers: readHeaders(email),
      // Answers refer to it. One of another domain is replaced.
      ...(messageId && mayHaveId(from.address, messageId) && { messageId }),
      attachments,
    },
    visible: { to: mailboxes(email.to), cc: mailboxes(email.cc) },
    messageId,
    date: email.date ?? null,
  }
}

async function parse(bytes: ArrayBuffer): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { forceRfc822Attachments: true })
  } catch (error) {
    throw refusal(501, `5.6.0 The message cannot be read: ${(error as Error).message}`)
  }
}

/** The mailboxes that have an address, including the members of groups. */
const mailboxes = (list: (Address | undefined)[] = []): Mailbox[] =>
  list
    .flatMap((one) => one?.group ?? (one ? [one] : []))
    .flatMap(({ address = "", name }) => {
      const normal = normalizeAddress(address)
      return normal ? [{ address: normal, name: oneLine(name) }] : []
    })

/** Drops the name if name and address are too long for the API. */
export function format(mailbox: Mailbox): string {
  const text = formatMailbox(mailbox)
  return text.length > 320 ? mailbox.address : text
}

const CONTROLS = new RegExp(CONTROL_CHARACTERS, "g")

const oneLine = (text: string) => text.replace(CONTROLS, " ").toWellFormed().trim()

/**
 * The headers that the API accepts, the first of each name. `Content-*` headers describe the old
 * parts of the body, so they are left out. Of too many, the last `X-*` headers are left out.
 */
function readHeaders({ headers }: Email): Record<string, string> {
  const taken = new Map<string, [string, string]>()
  for (const { key, originalKey, value } of headers) {
    const header = { [originalKey]: oneLine(value) }
    if (key.startsWith("content-") || taken.has(key)) continue
    if (sendInput.shape.headers.safeParse(header).success) {
      taken.set(key, [originalKey, oneLine(value)])
    }
  }
  const isCustom = ([name]: [string, string]) => Number(/^x-/i.test(name))
  const known = [...taken.values()].toSorted((a, b) => isCustom(a) - isCustom(b))
  return Object.fromEntries(known.slice(0, MAX_HEADERS))
}

/** An attachment that the HTML shows keeps its Content-ID, or gets another one that the API accepts. */
function readParts({ html = "", attachments }: Email) {
  const ids = new Map(
    attachments.flatMap(({ contentId = "" }, index): [string, string][] => {
      const id = contentId.replace(/^\s*<|>\s*$/g, "")
      const isTaken = attachmentShape.shape.contentId.safeParse(id).success
      return id ? [[contentId, isTaken ? id : `part-${index + 1}`]] : []
    }),
  )
  const shown = new Set<string>()
  const named = html.replace(/\bcid:([^"'\s<>)]+)/gi, (whole, reference: string) => {
    const id = ids.get(`<${decode(reference)}>`)
    if (id) shown.add(id)
    return id ? `cid:${id}` : whole
  })
  return {
    html: named,
    attachments: attachments.map((attachment, index) => {
      const contentId = ids.get(attachment.contentId ?? "")
      const contentType = typeOf(attachment)
      return {
        filename: nameOf(attachment, index),
        content: Buffer.from(attachment.content as ArrayBuffer).toString("base64"),
        ...(contentType && { contentType }),
        ...(contentId && shown.has(contentId) && { contentId }),
      }
    }),
  }
}

function decode(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch {
    return reference
  }
}

/** The parser has decoded calendars to UTF-8. */
function typeOf({ mimeType, method }: Attachment): string | null {
  const type = method ? `${mimeType}; charset=utf-8; method=${method}` : mimeType
  return attachmentShape.shape.contentType.safeParse(type).success ? type : null
}

function nameOf({ filename, mimeType }: Attachment, index: number): string {
  const name = oneLine(filename ?? "")
  return name && name.length <= 255 ? name : `attachment-${index + 1}.${extensionOf(mimeType)}`
}

function extensionOf(mimeType: string): string {
  if (mimeType === "message/rfc822") return "eml"
  return mimeType === "application/octet-stream" ? "bin" : detectExtension(mimeType)
}
