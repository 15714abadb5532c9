import type { EmailContent } from "./content.ts"

/**
 * Content as a line of JSON and its long texts behind that line. The line has the length of each
 * text in bytes in place of the text: writing and reading JSON takes long where much is escaped.
 */
export function toParts({ html, text, headers, attachments }: EmailContent): string[] {
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

/** The content of one line of JSON, with the texts behind it where it has their lengths. */
export function readParts(bytes: Buffer): EmailContent {
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
