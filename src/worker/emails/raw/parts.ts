import { firstMatches, oneLine } from "../../../lib/text.ts"
import type { EmailContent } from "../content.ts"
import { attachment as attachmentShape, MAX_HEADERS, sendFields } from "../send-input.ts"
import { readMessage, type ShownMessage } from "./read-parts.ts"

/** A whole message as the content of a send, for a reader, and for a provider that takes no whole message. */
export async function readParts(raw: Buffer): Promise<EmailContent> {
  const message = await readMessage(raw)
  return {
    ...(await namedFiles(message)),
    text: message.text,
    headers: headersOf(message),
  }
}

/** The headers that a send takes, the first of each name. Of too many, the last `X-*` are left out. */
function headersOf({ headers }: ShownMessage): Record<string, string> {
  const taken = new Map<string, [string, string]>()
  for (const { name, value } of headers) {
    const key = name.toLowerCase()
    const text = oneLine(value)
    if (!taken.has(key) && sendFields.shape.headers.safeParse({ [name]: text }).success)
      taken.set(key, [name, text])
  }
  const isCustom = ([name]: [string, string]) => Number(/^x-/i.test(name))
  const inOrder = [...taken.values()].toSorted((a, b) => isCustom(a) - isCustom(b))
  return Object.fromEntries(inOrder.slice(0, MAX_HEADERS))
}

const CID = /\bcid:([^"'\s<>)]+)/gi
/** Later places that show a file stay as they are. */
const MAX_SHOWN = 10_000

/** A file that the html shows keeps its `Content-ID`, or gets another one that a send takes. */
async function namedFiles({ html, files }: ShownMessage) {
  const ids = new Map(
    files.flatMap(({ contentId }, index): [string, string][] => {
      const isTaken = attachmentShape.shape.contentId.safeParse(contentId).success
      return contentId ? [[contentId, isTaken ? contentId : `part-${index + 1}`]] : []
    }),
  )
  const shown = new Set<string>()
  let named = ""
  let at = 0
  for (const { index, 0: whole, 1: reference = "" } of firstMatches(html ?? "", CID, MAX_SHOWN)) {
    const id = ids.get(decode(reference))
    if (!id) continue
    shown.add(id)
    named += `${html?.slice(at, index)}cid:${id}`
    at = index + whole.length
  }
  const { detectExtension } = await import("nodemailer/lib/mime-funcs")
  return {
    html: html && named + html.slice(at),
    attachments: files.map(({ filename, contentType, contentId, method, bytes }, index) => {
      const id = ids.get(contentId ?? "")
      const name = oneLine(filename ?? "").slice(0, 255)
      const type = attachmentShape.shape.contentType.safeParse(
        method ? `${contentType}; method=${method}` : contentType,
      )
      return {
        filename: name || `attachment-${index + 1}.${detectExtension(contentType)}`,
        content: bytes.toString("base64"),
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
