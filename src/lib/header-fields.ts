import { isUtf8 } from "node:buffer"

/** A header field of a message, a character for each byte. */
export interface HeaderField {
  /** In lower case; null if the line is no header field. */
  name: string | null
  /** As it stands, with its folded lines, without the last line end. */
  text: string
  /** The number of its first line, from 1. */
  line: number
}

const NAME = /^([!-9;-~]+)[ \t]*:/

/** The fields of a header block. Its line ends may be CRLF or LF. */
export function headerFields(block: string): HeaderField[] {
  let line = 1
  return block.split(/\r?\n(?![ \t])/).flatMap((text) => {
    const field = { name: NAME.exec(text)?.[1]?.toLowerCase() ?? null, text, line }
    line += text.split("\n").length
    return text === "" ? [] : field
  })
}

const windows1252 = new TextDecoder("windows-1252")

/** The value of a field on one line. Bytes beyond ASCII are UTF-8 if they are valid as such, else Windows-1252. */
export function headerValue({ text }: Pick<HeaderField, "text">): string {
  const unfolded = text.slice(text.indexOf(":") + 1).replace(/\r?\n(?=[ \t])/g, "")
  const bytes = Buffer.from(unfolded, "latin1")
  return (isUtf8(bytes) ? bytes.toString("utf8") : windows1252.decode(bytes)).trim()
}

/**
 * Where the header block of a message ends, and where the body behind the empty line begins. Without an empty line
 * in the first `most` bytes, all is header.
 */
export function splitMessage(bytes: Buffer, most = bytes.length): { head: Buffer; body: Buffer } {
  const starts = ["\r\n", "\n"].find((end) => bytes.toString("latin1", 0, end.length) === end)
  if (starts) return { head: bytes.subarray(0, 0), body: bytes.subarray(starts.length) }
  const crlf = bytes.subarray(0, most).indexOf("\r\n\r\n")
  const lf = bytes.subarray(0, crlf === -1 ? most : crlf).indexOf("\n\n")
  if (lf !== -1) return { head: bytes.subarray(0, lf), body: bytes.subarray(lf + 2) }
  if (crlf !== -1) return { head: bytes.subarray(0, crlf), body: bytes.subarray(crlf + 4) }
  return { head: bytes, body: bytes.subarray(bytes.length) }
}
