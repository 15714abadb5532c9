import type { Attachment, Email } from "postal-mime"
import { CONTROL_CHARACTERS } from "../../../lib/text.ts"
import type { EmailContent } from "../content.ts"
import { attachment as attachmentShape, MAX_HEADERS, sendFields } from "../send-input.ts"

/** The parts of a whole message, for a reader, and for a provider that takes no whole message. */
export async function readParts(raw: Buffer): Promise<EmailContent> {
  const { default: PostalMime } = await import("postal-mime")
  const message = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
    maxHeadersSize: raw.length,
  })
  const { html, attachments } = await namedFiles(message)
  return { html, text: message.text ?? null, headers: headersOf(message), attachments }
}

/** The headers that a send takes, the first of each name. Of too many, the last `X-*` are left out. */
function headersOf({ headers }: Email): Record<string, string> {
  const taken = new Map<string, [string, string]>()
  for (const { key, originalKey, value } of headers) {
    const header = { [originalKey]: oneLine(value) }
    if (!taken.has(key) && sendFields.shape.headers.safeParse(header).success)
      taken.set(key, [originalKey, oneLine(value)])
  }
  const isCustom = ([name]: [string, string]) => Number(/^x-/i.test(name))
  const inOrder = [...taken.values()].toSorted((a, b) => isCustom(a) - isCustom(b))
  return Object.fromEntries(inOrder.slice(0, MAX_HEADERS))
}

/** A file that the html shows keeps its `Content-ID`, or gets another one that a send takes. */
async function namedFiles({ html, attachments }: Email) {
  const ids = new Map(
    attachments.flatMap(({ contentId = "" }, index): [string, string][] => {
      const id = contentId.replace(/^\s*<|>\s*$/g, "")
      const isTaken = attachmentShape.shape.contentId.safeParse(id).success
      return id ? [[id, isTaken ? id : `part-${index + 1}`]] : []
    }),
  )
  const shown = new Set<string>()
  const named = html?.replace(/\bcid:([^"'\s<>)]+)/gi, (whole, reference: string) => {
    const id = ids.get(decode(reference))
    if (id) shown.add(id)
    return id ? `cid:${id}` : whole
  })
  const { detectExtension } = await import("nodemailer/lib/mime-funcs")
  return {
    html: named ?? null,
    attachments: attachments.map((file, index) => {
      const id = ids.get(file.contentId?.replace(/^\s*<|>\s*$/g, "") ?? "")
      const type = attachmentShape.shape.contentType.safeParse(typeOf(file))
      return {
        filename:
          oneLine(file.filename ?? "").slice(0, 255) ||
          `attachment-${index + 1}.${detectExtension(file.mimeType)}`,
        content: Buffer.from(file.content as ArrayBuffer).toString("base64"),
        ...(type.success && { contentType: type.data }),
        ...(id && shown.has(id) && { contentId: id }),
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
const typeOf = ({ mimeType, method }: Attachment) =>
  method ? `${mimeType}; charset=utf-8; method=${method}` : mimeType

const CONTROLS = new RegExp(CONTROL_CHARACTERS, "g")

const oneLine = (text: string) => text.replace(CONTROLS, " ").toWellFormed().trim()
