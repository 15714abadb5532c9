import { headerFields, headerValue, splitMessage } from "../../../lib/header-fields.ts"
import type { Settings } from "../../platform/env.ts"
import type { EventData } from "../contract.ts"
import type { EmailRef } from "../messages.ts"
import { type Tracked, trackHtml } from "../tracking/track-html.ts"
import { type Part, readStructure } from "./structure.ts"
import { codecOf } from "./transfer-encoding.ts"

interface TrackedMessage {
  raw: Buffer
  untracked?: EventData["untracked"]
}

/** Html of more bytes is not tracked, as that of a message in JSON could not be sent. */
const MAX_HTML_BYTES = 5_000_000

/** Charsets in which an ASCII character may be another byte, or one of its bytes another character. */
const BEYOND_ASCII =
  /^(utf-?(7|16|32)|unicode|ucs|iso-10646|iso-2022|hz|cs(iso2022|unicode)|ebcdic)/i

const SEALED = /^(multipart\/(signed|encrypted)|application\/(x-)?pkcs7-mime)$/

/** Rewrites the html part alone, in its own charset and transfer encoding. */
export async function trackRaw(
  settings: Settings,
  email: EmailRef,
  raw: Buffer,
  tracked: Tracked,
): Promise<TrackedMessage> {
  if (!tracked.opens && !tracked.clicks) return { raw }
  const parts = await readStructure(raw)
  if (parts.some(({ type }) => SEALED.test(type))) return { raw, untracked: "signed_or_encrypted" }
  const part = parts.find((one) => one.type === "text/html" && !one.isFile && !one.isAttached)
  if (!part) return { raw }
  const html = readHtml(raw, part)
  if (html === null) return { raw, untracked: "unreadable" }
  const { charset = "" } = part.parameters
  const codec = codecOf(part.encoding)
  const edited = await trackHtml(settings, email, html, {
    ...tracked,
    listUnsubscribe: listUnsubscribeOf(raw),
    bytes: { decode: (text) => decode(text, charset), isInLines: codec?.isInLines ?? false },
  })
  const written = codec?.encode(edited.html) ?? ""
  return {
    ...edited,
    raw: Buffer.concat([
      raw.subarray(0, part.start),
      Buffer.from(written, "latin1"),
      raw.subarray(part.end),
    ]),
  }
}

/** The decoded html, a character for each byte; null if it cannot be edited so. */
function readHtml(raw: Buffer, { start, end, encoding, parameters }: Part): string | null {
  const codec = codecOf(encoding)
  if (!codec || end - start > 2 * MAX_HTML_BYTES || BEYOND_ASCII.test(parameters.charset ?? ""))
    return null
  const html = codec.decode(raw.toString("latin1", start, end))
  return html.length > MAX_HTML_BYTES || html.includes("\0") ? null : html
}

function listUnsubscribeOf(raw: Buffer): string {
  const fields = headerFields(splitMessage(raw).head.toString("latin1"))
  return fields
    .filter(({ name }) => name === "list-unsubscribe")
    .map(headerValue)
    .join()
}

/** A link with bytes beyond ASCII. */
function decode(text: string, charset: string): string {
  const bytes = Buffer.from(text, "latin1")
  for (const label of [charset, "utf-8"]) {
    try {
      return new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {}
  }
  return text
}
