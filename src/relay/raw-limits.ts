import { refusal } from "./replies.ts"

const MAX_HEADERS = 1_000
const MAX_PARTS = 500
const NEWLINE = 10

/** Refuses a message of more headers or parts than a parser should meet: it reads raw bytes once. */
export function checkLimits(bytes: Uint8Array): void {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const boundaries = new Set<string>()
  let headers = 0
  let parts = 0
  let isInHeaders = true
  for (let start = 0; start < raw.length; ) {
    const found = raw.indexOf(NEWLINE, start)
    const end = found === -1 ? raw.length : found
    if (isBoundary(raw, start, end, boundaries)) {
      isInHeaders = true
      if (++parts > MAX_PARTS) throw refusal(552, "5.3.4 The message has too many parts")
    } else if (isBlank(raw, start, end)) {
      isInHeaders = false
    } else if (isInHeaders) {
      if (++headers > MAX_HEADERS) throw refusal(552, "5.3.4 The message has too many header lines")
      for (const [, quoted, bare] of lineOf(raw, start, end).matchAll(BOUNDARY)) {
        boundaries.add((quoted ?? bare) as string)
      }
    }
    start = end + 1
  }
}

const BOUNDARY = /boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/gi

/** No boundary is longer than 70 characters (RFC 2046), and no header line than 998 (RFC 5322). */
const MAX_LINE = 2_000

const lineOf = (raw: Buffer, start: number, end: number) =>
  raw.toString("latin1", start, Math.min(end, start + MAX_LINE))

const isBlank = (raw: Buffer, start: number, end: number) =>
  end === start || (end === start + 1 && raw[start] === 13)

const DASH = 45

function isBoundary(raw: Buffer, start: number, end: number, known: ReadonlySet<string>): boolean {
  if (known.size === 0 || raw[start] !== DASH || raw[start + 1] !== DASH) return false
  const name = raw.toString("latin1", start + 2, Math.min(end, start + 210)).trimEnd()
  return known.has(name)
}
