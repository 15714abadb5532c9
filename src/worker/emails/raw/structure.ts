import { headerFields, headerValue } from "../../../lib/header-fields.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import { invalid } from "../../platform/http/errors.ts"

export const MAX_HEADER_BYTES = 256 * 1024
export const MAX_HEADER_LINES = 1_000
const MAX_DEPTH = 20
const MAX_PARTS = 1_000
/** Each may have a header of a thousand lines. */
const PARTS_A_TURN = 50
/** Longer than any type with its parameters. */
const MAX_VALUE_CHARACTERS = 4_096

/** An entity of a message: the message itself, one of its parts, or a message among them. */
export interface Part {
  /** In lower case, such as `text/html`. */
  type: string
  parameters: Record<string, string>
  /** The transfer encoding, in lower case. */
  encoding: string
  /** Those of `Content-Disposition`. */
  fileParameters: Record<string, string>
  contentId: string | null
  /** Has a file name, or is marked as an attachment. */
  isFile: boolean
  /** Is marked as an attachment. */
  isMarked: boolean
  /** Is part of a message that is attached. */
  isAttached: boolean
  depth: number
  start: number
  end: number
}

interface Multipart {
  boundary: Buffer
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

/** The parts of a message whose lines end with CRLF, without decoding any. Reads the bytes once, and in turns. */
export async function readStructure(bytes: Buffer): Promise<Part[]> {
  const parts: Part[] = []
  const unfinished: Part[] = []
  const open: Multipart[] = []
  const nextDelimiter = delimiterFinder(bytes, open)
  const nextEmptyLine = finder(bytes, "\r\n\r\n")
  let count = 0

  /** Reads the header at this place. Answers where the content behind it begins. */
  async function enter(
    at: number,
    depth: number,
    within: Pick<Multipart, "isAttached" | "defaultType">,
  ): Promise<number> {
    if (depth > MAX_DEPTH)
      throw refusal(bytes, at, `the MIME structure is deeper than ${MAX_DEPTH}`)
    const isEmpty = bytes.toString("latin1", at, at + 2) === "\r\n"
    const emptyLine = isEmpty ? at : Math.min(bytes.length, await nextEmptyLine(at))
    const headerEnd = (await nextDelimiter(at, emptyLine))?.at ?? emptyLine
    if (headerEnd - at > MAX_HEADER_BYTES)
      throw refusal(bytes, at, `a header of more than ${MAX_HEADER_BYTES} bytes`)
    const block = bytes.toString("latin1", at, headerEnd)
    if (block.split("\n").length > MAX_HEADER_LINES)
      throw refusal(bytes, at, `a header of more than ${MAX_HEADER_LINES} lines`)
    const part = describe(block, within.defaultType)
    const start =
      headerEnd < emptyLine ? headerEnd : Math.min(bytes.length, emptyLine + (isEmpty ? 2 : 4))
    const { isAttached } = within
    parts.push({ ...part, depth, isAttached, start, end: bytes.length })
    unfinished.push(parts.at(-1)!)
    const boundary = boundaryOf(part.parameters)
    if (part.type.startsWith("multipart/")) {
      const defaultType = part.type === "multipart/digest" ? "message/rfc822" : "text/plain"
      open.push({ boundary: Buffer.from(boundary), depth, isAttached, defaultType })
    } else if (MESSAGES.has(part.type) && !ENCODED.has(part.encoding) && headerEnd === emptyLine)
      return enter(start, depth + 1, { isAttached: true, defaultType: "text/plain" })
    return start
  }

  /** Ends the parts below this depth. */
  function leave(at: number, depth: number): void {
    for (let part = unfinished.at(-1); part && part.depth > depth; part = unfinished.at(-1)) {
      part.end = Math.max(at, part.start)
      unfinished.pop()
    }
  }

  let position = await enter(0, 1, { isAttached: false, defaultType: "text/plain" })
  for (;;) {
    const found = await nextDelimiter(position, bytes.length)
    if (!found) return withText(parts)
    const { at, end, level, isLast } = found
    const multipart = open[level] as Multipart
    leave(at, multipart.depth)
    open.length = isLast ? level : level + 1
    position = end
    if (isLast) continue
    if (++count > MAX_PARTS)
      throw refusal(bytes, end, `the message has more than ${MAX_PARTS} parts`)
    if (count % PARTS_A_TURN === 0) await nextTurn()
    position = await enter(end, multipart.depth + 1, multipart)
  }
}

export const BODY_TYPES = new Set(["text/plain", "text/html"])

/** Where every text has a file name, the first one is the message's own, unless it is marked as an attachment. */
function withText(parts: Part[]): Part[] {
  const texts = parts.filter(({ type, isAttached }) => BODY_TYPES.has(type) && !isAttached)
  const first = texts.find(({ isMarked }) => !isMarked)
  if (first && texts.every(({ isFile }) => isFile)) first.isFile = false
  return parts
}

const MESSAGES = new Set(["message/rfc822", "message/global", "message/news"])
const ENCODED = new Set(["base64", "quoted-printable"])

/** To search this many takes some ten milliseconds if all are line ends. */
const BYTES_A_TURN = 4 * 1024 * 1024
/** Each line that may be a delimiter takes some 200 ns. */
const LOOKS_A_TURN = 50_000

/** Finds a text from a place on. The places only grow, so the bytes are read once. */
function finder(bytes: Buffer, text: string) {
  const wanted = Buffer.from(text)
  let found = -1
  return async (from: number): Promise<number> => {
    for (let at = from; found < from; at += BYTES_A_TURN) {
      if (at > from) await nextTurn()
      const end = at + BYTES_A_TURN + wanted.length - 1
      found = bytes.subarray(0, end).indexOf(wanted, at)
      if (found === -1 && end >= bytes.length) found = Number.POSITIVE_INFINITY
    }
    return found
  }
}

const DASHES = Buffer.from("\r\n--")

function delimiterFinder(bytes: Buffer, open: readonly Multipart[]) {
  let looks = 0

  function delimiterAt(at: number): Delimiter | null {
    const start = at + 4
    let lineEnd = start
    while (lineEnd < bytes.length && bytes[lineEnd] !== CR) lineEnd++
    const end = Math.min(bytes.length, lineEnd + 2)
    let textEnd = lineEnd
    while (textEnd > start && isBlank(bytes[textEnd - 1])) textEnd--
    const hasDashes = bytes[textEnd - 1] === DASH && bytes[textEnd - 2] === DASH
    for (let level = open.length - 1; level >= 0; level--) {
      const { boundary } = open[level] as Multipart
      if (isSame(boundary, bytes, start, textEnd)) return { at, end, level, isLast: false }
      if (hasDashes && isSame(boundary, bytes, start, textEnd - 2))
        return { at, end, level, isLast: true }
    }
    return null
  }

  /** The first delimiter of an open multipart from this place on, up to another place. */
  return async (from: number, to: number): Promise<Delimiter | null> => {
    // The line end before a delimiter may be that of the header.
    let at = Math.max(0, from - 2)
    while (at < to) {
      const end = Math.min(to, at + BYTES_A_TURN)
      const piece = bytes.subarray(0, end + DASHES.length - 1)
      for (let isTurnOver = false; at < end && !isTurnOver; ) {
        const found = piece.indexOf(DASHES, at)
        const delimiter = found === -1 ? null : delimiterAt(found)
        if (delimiter) return delimiter
        at = found === -1 ? end : found + 2
        isTurnOver = found !== -1 && ++looks % LOOKS_A_TURN === 0
      }
      if (at < to) await nextTurn()
    }
    return null
  }
}

const [CR, LF, DASH, SPACE, TAB] = Buffer.from("\r\n- \t")

const isBlank = (byte: number | undefined) => byte === SPACE || byte === TAB

/** A loop: for short texts, a call of `compare` takes longer. */
function isSame(text: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let at = text.length - 1; at >= 0; at--) if (text[at] !== bytes[start + at]) return false
  return true
}

function describe(block: string, defaultType: string) {
  const values = new Map<string, string>()
  for (const field of headerFields(block))
    if (field.name?.startsWith("content-") && !values.has(field.name))
      values.set(field.name, headerValue(field).slice(0, MAX_VALUE_CHARACTERS))
  const { value, parameters } = readParameters(values.get("content-type") ?? defaultType)
  const isMultipart = value.startsWith("multipart/")
  // RFC 2045, 5.2
  const isType = isMultipart ? boundaryOf(parameters) !== "" : value.includes("/")
  const disposition = readParameters(values.get("content-disposition") ?? "")
  const names = [...Object.keys(parameters), ...Object.keys(disposition.parameters)]
  const isMarked = disposition.value === "attachment"
  return {
    type: isType ? value : isMultipart ? "text/plain" : defaultType,
    parameters,
    fileParameters: disposition.parameters,
    contentId: values.get("content-id")?.replace(/^<|>$/g, "") || null,
    encoding: (values.get("content-transfer-encoding") ?? "7bit").toLowerCase().trim(),
    isMarked,
    isFile: isMarked || names.some((name) => NAMES_FILE.test(name)),
  }
}

/** May be in pieces (RFC 2231). */
function boundaryOf(parameters: Record<string, string>): string {
  const pieces = [parameters.boundary ?? ""]
  for (let at = 0; parameters[`boundary*${at}`] !== undefined; at++)
    pieces.push(parameters[`boundary*${at}`] ?? "")
  return pieces.join("").trimEnd()
}

const PARAMETER = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g
const NAMES_FILE = /^(file)?name\b/

/** A value with parameters, such as `text/html; charset=utf-8`. Names of files may have blanks without quotes. */
function readParameters(text: string) {
  const [value = ""] = /[^\s;(]*/.exec(text.trimStart()) ?? []
  const parameters: Record<string, string> = {}
  for (const [, written = "", quoted, bare = ""] of text.matchAll(PARAMETER)) {
    const name = written.toLowerCase()
    const unquoted = NAMES_FILE.test(name) ? bare.trim() : bare.replace(/\s.*/s, "")
    parameters[name] ??= quoted?.replace(/\\(.)/g, "$1") ?? unquoted
  }
  return { value: value.toLowerCase(), parameters }
}

function refusal(bytes: Buffer, at: number, what: string) {
  let line = 1
  for (let before = 0; before < at; before++) if (bytes[before] === LF) line++
  return invalid([], `Line ${line}: ${what}`)
}
