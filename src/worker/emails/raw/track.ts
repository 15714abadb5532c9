import { headerFields, headerValue, splitMessage } from "../../../lib/header-fields.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import type { Settings } from "../../platform/env.ts"
import type { EventData } from "../contract.ts"
import type { EmailRef } from "../messages.ts"
import { type Tracked, trackHtml } from "../tracking/track-html.ts"
import { decodeBytes } from "./read-parts.ts"
import { type Part, readStructure } from "./structure.ts"
import { DECODE, ENCODE, PLAIN_ENCODINGS } from "./transfer-encoding.ts"

interface TrackedMessage {
  raw: Buffer
  untracked?: EventData["untracked"]
}

/** Html of more bytes is not tracked, as that of a message in JSON could not be sent. */
const MAX_HTML_BYTES = 5_000_000

/** Other calls have their turn before it is encoded. */
const LARGE_HTML_BYTES = 1024 * 1024

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
  const html = await readHtml(raw, part)
  if (html === null) return { raw, untracked: "unreadable" }
  const encode = ENCODE.get(part.encoding)
  const edited = await trackHtml(settings, email, html, {
    ...tracked,
    listUnsubscribe: listUnsubscribeOf(raw),
    bytes: { decode: decoderOf(part.parameters.charset ?? ""), isInLines: encode === undefined },
  })
  if (html.length > LARGE_HTML_BYTES) await nextTurn()
  const written = Buffer.from(edited.html, "latin1")
  return {
    ...edited,
    raw: Buffer.concat([
      raw.subarray(0, part.start),
      encode?.(written) ?? written,
      raw.subarray(part.end),
    ]),
  }
}

/** The decoded html, a character for each byte; null if it cannot be edited so. */
async function readHtml(raw: Buffer, part: Part): Promise<string | null> {
  const { start, end, encoding, parameters } = part
  const isKnown = PLAIN_ENCODINGS.has(encoding) || DECODE.has(encoding)
  if (!isKnown || end - start > 2 * MAX_HTML_BYTES || BEYOND_ASCII.test(parameters.charset ?? ""))
    return null
  const html = (await decodeBytes(raw, part)).toString("latin1")
  return html.length > MAX_HTML_BYTES || html.includes("\0") ? null : html
}

function listUnsubscribeOf(raw: Buffer): string {
  const fields = headerFields(splitMessage(raw).head.toString("latin1"))
  return fields
    .filter(({ name }) => name === "list-unsubscribe")
    .map(headerValue)
    .join()
}

/** Decodes a link with bytes beyond ASCII: in its charset, else in UTF-8, else it stays. */
function decoderOf(charset: string): (text: string) => string {
  const decoders = [charset, "utf-8"].flatMap((label) => {
    try {
      return new TextDecoder(label, { fatal: false, ignoreBOM: true })
    } catch {
      return []
    }
  })
  return (text) => {
    const bytes = Buffer.from(text, "latin1")
    for (const decoder of decoders) {
      const decoded = decoder.decode(bytes)
      if (!decoded.includes(UNREADABLE)) return decoded
    }
    return text
  }
}

const UNREADABLE = "\ufffd"
