import { gzip } from "../../../lib/gzip.ts"
import type { Packed } from "./overflow.ts"

const LARGE_FILES_CHARACTERS = 64 * 1024
const LARGE_TEXT_CHARACTERS = 512 * 1024

/** What may be large of an email. Other members are small. */
interface Content {
  html: string | null
  text: string | null
  attachments: { content: string }[]
}

/** The limits of one call. A hundred emails of usual size are smaller. */
const MAX_WRITTEN_CHARACTERS = 4 * 1024 * 1024
/** The time of gzip grows with the bytes that it writes. */
const MAX_GZIPPED_BYTES = 2 * 1024 * 1024

/** The contents of a call, gzipped. Large ones, and those beyond the limits, stay as they are. */
export function packContents<C extends Content>(contents: readonly C[]): Packed[] {
  let [written, gzipped] = [0, 0]
  return contents.map((content) => {
    if (isLarge(content) || written > MAX_WRITTEN_CHARACTERS || gzipped > MAX_GZIPPED_BYTES) {
      return toParts(content)
    }
    const json = JSON.stringify(content)
    const bytes = gzip(json)
    written += json.length
    gzipped += bytes.length
    return bytes
  })
}

/** Files are mostly compressed already. */
const isLarge = ({ html, text, attachments }: Content) =>
  (html?.length ?? 0) + (text?.length ?? 0) > LARGE_TEXT_CHARACTERS ||
  attachments.reduce((sum, { content }) => sum + content.length, 0) > LARGE_FILES_CHARACTERS

/**
 * A line of JSON with the long texts behind it. The JSON has the length in bytes in place of each
 * text: JSON with many escaped characters takes long to write and to read.
 */
function toParts({ html, text, attachments, ...others }: Content): string[] {
  const texts: string[] = []
  const moved = (long: string) => {
    texts.push(long)
    return Buffer.byteLength(long)
  }
  const line = {
    html: html === null ? null : moved(html),
    text: text === null ? null : moved(text),
    ...others,
    attachments: attachments.map((one) => ({ ...one, content: moved(one.content) })),
  }
  return [`${JSON.stringify(line)}\n`, ...texts]
}

/** Content with a whole message: a line of JSON, which has the length of the message, and the message. */
export function packMessage(content: object, message: readonly Uint8Array[]): Packed {
  const raw = message.reduce((sum, { length }) => sum + length, 0)
  const pieces = [Buffer.from(`${JSON.stringify({ ...content, raw })}\n`), ...message]
  return raw > LARGE_FILES_CHARACTERS ? pieces : gzip(Buffer.concat(pieces))
}

/** Takes less time than `toString` of a Buffer. It keeps the byte order mark of a text. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })

/** Reads content in both forms: content that is plain JSON has no line break. */
export function readContent<C extends Content & { raw?: Buffer | undefined }>(bytes: Buffer): C {
  const lineEnd = bytes.indexOf("\n")
  const content = JSON.parse(decoder.decode(lineEnd === -1 ? bytes : bytes.subarray(0, lineEnd)))
  if (lineEnd === -1) return content
  let at = lineEnd + 1
  if (content.raw !== undefined) return { ...content, raw: bytes.subarray(at, at + content.raw) }
  const next = (length: number) => {
    const from = at
    at += length
    return decoder.decode(bytes.subarray(from, at))
  }
  return {
    ...content,
    html: content.html === null ? null : next(content.html),
    text: content.text === null ? null : next(content.text),
    attachments: content.attachments.map((one: { content: number }) => ({
      ...one,
      content: next(one.content),
    })),
  }
}
