import { headerFields, headerValue } from "../../../lib/header-fields.ts"
import { invalid } from "../../platform/http/errors.ts"

export const MAX_HEADER_BYTES = 256 * 1024
export const MAX_HEADER_LINES = 1_000
const MAX_DEPTH = 20
const MAX_PARTS = 1_000
/** Longer than any type with its parameters. */
const MAX_VALUE_CHARACTERS = 4_096

/** An entity of a message: the message itself, one of its parts, or a message among them. */
export interface Part {
  /** In lower case, such as `text/html`. */
  type: string
  parameters: Record<string, string>
  /** The transfer encoding, in lower case. */
  encoding: string
  /** Has a file name, or is marked as an attachment. */
  isFile: boolean
  /** Is part of a message that is attached. */
  isAttached: boolean
  /** The content of a part without parts. */
  start: number
  end: number
}

interface Multipart {
  boundary: string
  depth: number
  isAttached: boolean
  /** What its parts are if they do not say it (RFC 2046). */
  defaultType: string
}

/** A delimiter line (RFC 2046): `at` is the line end before it, `end` is behind its own. */
interface Delimiter {
  at: number
  end: number
  level: number
  isLast: boolean
}

/** The parts of a message whose lines end with CRLF, without decoding any. Reads the bytes once. */
export function readStructure(bytes: Buffer): Part[] {
  const parts: Part[] = []
  const open: Multipart[] = []
  const nextDelimiter = delimiterFinder(bytes, open)
  const nextEmptyLine = finder(bytes, "\r\n\r\n")
  let count = 0

  /** Reads the header at this place. Answers where the content behind it begins. */
  function enter(
    at: number,
    depth: number,
    within: Pick<Multipart, "isAttached" | "defaultType">,
  ): number {
    if (depth > MAX_DEPTH)
      throw refusal(bytes, at, `the MIME structure is deeper than ${MAX_DEPTH}`)
    const isEmpty = bytes.toString("latin1", at, at + 2) === "\r\n"
    const emptyLine = isEmpty ? at : Math.min(bytes.length, nextEmptyLine(at))
    const headerEnd = nextDelimiter(at, emptyLine)?.at ?? emptyLine
    if (headerEnd - at > MAX_HEADER_BYTES)
      throw refusal(bytes, at, `a header of more than ${MAX_HEADER_BYTES} bytes`)
    const block = bytes.toString("latin1", at, headerEnd)
    if (block.split("\n").length > MAX_HEADER_LINES)
      throw refusal(bytes, at, `a header of more than ${MAX_HEADER_LINES} lines`)
    const part = describe(block, within.defaultType)
    const start =
      headerEnd < emptyLine ? headerEnd : Math.min(bytes.length, emptyLine + (isEmpty ? 2 : 4))
    const { isAttached } = within
    parts.push({ ...part, isAttached, start, end: bytes.length })
    const { boundary } = part.parameters
    if (part.type.startsWith("multipart/") && boundary) {
      const defaultType = part.type === "multipart/digest" ? "message/rfc822" : "text/plain"
      open.push({ boundary, depth, isAttached, defaultType })
    } else if (MESSAGES.has(part.type) && !ENCODED.has(part.encoding) && headerEnd === emptyLine)
      return enter(start, depth + 1, { isAttached: true, defaultType: "text/plain" })
    return start
  }

  function leave(at: number): void {
    for (let index = parts.length - 1; parts[index]?.end === bytes.length; index--)
      parts[index]!.end = Math.max(at, parts[index]!.start)
  }

  let position = enter(0, 1, { isAttached: false, defaultType: "text/plain" })
  for (;;) {
    const found = nextDelimiter(position, bytes.length)
    if (!found) return parts
    const { at, end, level, isLast } = found
    const multipart = open[level] as Multipart
    leave(at)
    open.length = isLast ? level : level + 1
    position = end
    if (isLast) continue
    if (++count > MAX_PARTS)
      throw refusal(bytes, end, `the message has more than ${MAX_PARTS} parts`)
    position = enter(end, multipart.depth + 1, multipart)
  }
}

const MESSAGES = new Set(["message/rfc822", "message/global", "message/news"])
const ENCODED = new Set(["base64", "quoted-printable"])

/** Finds a text from a place on. The places only grow, so the bytes are read once. */
function finder(bytes: Buffer, text: string) {
  let found = -1
  return (from: number): number => {
    if (found < from) found = bytes.indexOf(text, from, "latin1")
    if (found === -1) found = Number.POSITIVE_INFINITY
    return found
  }
}

function delimiterFinder(bytes: Buffer, open: readonly Multipart[]) {
  const nextDashes = finder(bytes, "\r\n--")
  const nextLineEnd = finder(bytes, "\r\n")
  /** The first delimiter of an open multipart from this place on, up to another place. */
  return (from: number, to: number): Delimiter | null => {
    // The line end before a delimiter may be that of the header.
    for (let at = nextDashes(Math.max(0, from - 2)); at < to; at = nextDashes(at + 2)) {
      const lineEnd = Math.min(bytes.length, nextLineEnd(at + 2))
      const line = bytes.toString("latin1", at + 4, lineEnd).trimEnd()
      const level = open.findLastIndex(({ boundary }) => isDelimiter(line, boundary))
      const isLast = level !== -1 && line.length > open[level]!.boundary.length
      if (level !== -1) return { at, end: Math.min(bytes.length, lineEnd + 2), level, isLast }
    }
    return null
  }
}

const isDelimiter = (line: string, boundary: string) =>
  line === boundary || (line.length === boundary.length + 2 && line === `${boundary}--`)

function describe(block: string, defaultType: string) {
  const values = new Map<string, string>()
  for (const field of headerFields(block))
    if (field.name?.startsWith("content-") && !values.has(field.name))
      values.set(field.name, headerValue(field).slice(0, MAX_VALUE_CHARACTERS))
  const { value, parameters } = readParameters(values.get("content-type") ?? defaultType)
  const disposition = readParameters(values.get("content-disposition") ?? "")
  const names = [...Object.keys(parameters), ...Object.keys(disposition.parameters)]
  return {
    type: value,
    parameters,
    encoding: (values.get("content-transfer-encoding") ?? "7bit").toLowerCase().trim(),
    isFile: disposition.value === "attachment" || names.some((name) => /^(file)?name\b/.test(name)),
  }
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g

/** A value with parameters, such as `text/html; charset=utf-8`. */
function readParameters(text: string) {
  const [value = ""] = /[^\s;(]*/.exec(text.trimStart()) ?? []
  const parameters: Record<string, string> = {}
  for (const [, name = "", quoted, bare = ""] of text.matchAll(PARAMETER))
    parameters[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, "$1") ?? bare
  return { value: value.toLowerCase(), parameters }
}

function refusal(bytes: Buffer, at: number, what: string) {
  let line = 1
  for (let end = bytes.indexOf("\n"); end !== -1 && end < at; end = bytes.indexOf("\n", end + 1))
    line++
  return invalid([], `Line ${line}: ${what}`)
}
