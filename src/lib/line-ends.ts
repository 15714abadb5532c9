const [CR, LF] = Buffer.from("\r\n") as unknown as [number, number]

interface Lines {
  /** How many lines end with a CR or an LF alone. */
  bare: number
  /** The number of the first line with more octets than asked, from 1; null if there is none. */
  tooLong: number | null
}

/** A regular expression takes long for millions of line ends. */
export function measureLines(bytes: Uint8Array, maxOctets = Number.POSITIVE_INFINITY): Lines {
  let [bare, line, start] = [0, 1, 0]
  let tooLong: number | null = null
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== CR && byte !== LF) continue
    if (at - start > maxOctets) tooLong ??= line
    if (byte === CR && bytes[at + 1] === LF) at++
    else bare++
    line++
    start = at + 1
  }
  return { bare, tooLong: bytes.length - start > maxOctets ? (tooLong ?? line) : tooLong }
}

/** RFC 5322 allows CR and LF only together. Answers the same bytes where all are. */
export function withLineEnds(bytes: Buffer, { bare } = measureLines(bytes)): Buffer {
  if (bare === 0) return bytes
  const written = Buffer.alloc(bytes.length + bare)
  let at = 0
  for (let from = 0; from < bytes.length; from++) {
    const byte = bytes[from] as number
    if (byte === CR || byte === LF) {
      if (byte === CR && bytes[from + 1] === LF) from++
      written[at++] = CR
      written[at++] = LF
    } else written[at++] = byte
  }
  return written
}

const PIECE_UNITS = 64 * 1024

/** With LF alone at the end of each line. A replacement of millions of line ends takes a hundred times their memory. */
export function withLineFeeds(text: string): string {
  const codes = new Uint16Array(Math.min(PIECE_UNITS, text.length))
  let [written, length] = ["", 0]
  const piece = () => Buffer.from(codes.buffer, 0, 2 * length).toString("utf16le")
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === CR && text.charCodeAt(at + 1) === LF) continue
    if (length === codes.length) {
      written += piece()
      length = 0
    }
    codes[length++] = code
  }
  return written + piece()
}
