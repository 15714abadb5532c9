import { load, type Packed, type Stored, store } from "../db/overflow.ts"
import type { Env } from "../env.ts"
import { gzip } from "../lib/gzip.ts"
import type { Attachment } from "./send-input.ts"

const LARGE_FILES_CHARACTERS = 64 * 1024
const LARGE_TEXT_CHARACTERS = 512 * 1024

/** The body of an email. It is stored apart from the record and purged earlier. */
export interface EmailContent {
  html: string | null
  text: string | null
  headers: Record<string, string>
  attachments: Attachment[]
}

/** The limits of one call. A hundred emails of usual size are smaller. */
const MAX_WRITTEN_CHARACTERS = 4 * 1024 * 1024
/** The time of gzip grows with the bytes that it writes. */
const MAX_GZIPPED_BYTES = 2 * 1024 * 1024

/** The contents of a call, gzipped. Large ones, and those beyond the limits, stay as they are. */
export function packContents(contents: readonly EmailContent[]): Packed[] {
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
const isLarge = ({ html, text, attachments }: EmailContent) =>
  (html?.length ?? 0) + (text?.length ?? 0) > LARGE_TEXT_CHARACTERS ||
  attachments.reduce((sum, { content }) => sum + content.length, 0) > LARGE_FILES_CHARACTERS

export const storeContent = (env: Env, emailId: string, packed: Packed) =>
  store(env, packed, `content/${emailId}`)

/** Null if the content is purged. */
export async function loadContent(
  env: Env,
  stored: Stored | undefined,
): Promise<EmailContent | null> {
  const bytes = stored ? await load(env, stored) : null
  return bytes && readParts(bytes)
}

/**
 * A line of JSON with the long texts behind it. The JSON has the length in bytes in place of each
 * text: JSON with many escaped characters takes long to write and to read.
 */
function toParts({ html, text, headers, attachments }: EmailContent): string[] {
  const texts: string[] = []
  const moved = (long: string) => {
    texts.push(long)
    return Buffer.byteLength(long)
  }
  const line = {
    html: html === null ? null : moved(html),
    text: text === null ? null : moved(text),
    headers,
    attachments: attachments.map((one) => ({ ...one, content: moved(one.content) })),
  }
  return [`${JSON.stringify(line)}\n`, ...texts]
}

/** Reads content in both forms: content that is plain JSON has no line break. */
function readParts(bytes: Buffer): EmailContent {
  const lineEnd = bytes.indexOf("\n")
  const content = JSON.parse(bytes.toString("utf8", 0, lineEnd === -1 ? undefined : lineEnd))
  if (lineEnd === -1) return content
  let at = lineEnd + 1
  const next = (length: number) => {
    const from = at
    at += length
    return bytes.toString("utf8", from, at)
  }
  return {
    html: content.html === null ? null : next(content.html),
    text: content.text === null ? null : next(content.text),
    headers: content.headers,
    attachments: content.attachments.map((one: { content: number }) => ({
      ...one,
      content: next(one.content),
    })),
  }
}
