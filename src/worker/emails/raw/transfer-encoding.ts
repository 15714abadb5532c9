import { nextTurn } from "../../../lib/next-turn.ts"

const [EQUALS, CR, LF, TAB, SPACE, DELETE] = Buffer.from("=\r\n\t \x7f") as unknown as [
  ...[number, number, number],
  ...[number, number, number],
]

/**
 * Writes what encoded bytes stand for, which is never longer, and answers its length. `into` may be `bytes`.
 * Other calls have their turn between the parts of a large one.
 */
type Decode = (bytes: Uint8Array, into?: Uint8Array) => Promise<number>

/** Those in which bytes stand for themselves. */
export const PLAIN_ENCODINGS = new Set(["7bit", "8bit", "binary"])

/** The others of RFC 2045. Regular expressions take far more time and memory. */
export const DECODE = new Map<string, Decode>([
  ["quoted-printable", inTurns(unquote)],
  ["base64", inTurns(readBase64)],
])

export const ENCODE = new Map<string, (bytes: Buffer) => Buffer>([
  ["quoted-printable", quote],
  ["base64", writeBase64],
])

export async function decoded(bytes: Uint8Array, decode: Decode): Promise<Buffer> {
  const into = Buffer.alloc(bytes.length)
  return into.subarray(0, await decode(bytes, into))
}

/** How far a decoder has read, and what it has written. */
interface Position {
  at: number
  length: number
  /** Bits of base64 that do not make a whole byte yet. */
  bits: number
  bitCount: number
}

type Step = (position: Position, end: number, bytes: Uint8Array, into?: Uint8Array) => Position

/** To decode this many takes some ten milliseconds. */
const BYTES_A_TURN = 4 * 1024 * 1024

function inTurns(step: Step): Decode {
  return async (bytes, into) => {
    let position: Position = { at: 0, length: 0, bits: 0, bitCount: 0 }
    while (position.at < bytes.length) {
      if (position.at > 0) await nextTurn()
      const end = Math.min(bytes.length, position.at + BYTES_A_TURN)
      position = step(position, end, bytes, into)
    }
    return position.length
  }
}

function unquote(position: Position, end: number, bytes: Uint8Array, into?: Uint8Array): Position {
  let { at, length } = position
  for (; at < end; at++) {
    let byte = bytes[at] as number
    if (byte === EQUALS) {
      const [first, second] = [bytes[at + 1], bytes[at + 2]]
      const isSoftEnd = first === CR && second === LF
      const [high, low] = [digitOf(first), digitOf(second)]
      const isByte = high >= 0 && low >= 0
      if (isSoftEnd || isByte) at += 2
      if (isSoftEnd) continue
      if (isByte) byte = high * 16 + low
    }
    if (into) into[length] = byte
    length++
  }
  return { ...position, at, length }
}

/** Ends at the first `=`. */
function readBase64(
  { at: from, length, bits, bitCount }: Position,
  end: number,
  bytes: Uint8Array,
  into?: Uint8Array,
): Position {
  for (let at = from; at < end; at++) {
    if (bytes[at] === EQUALS) return { at: bytes.length, length, bits, bitCount }
    const sextet = SEXTETS[bytes[at] as number] as number
    if (sextet < 0) continue
    bits = ((bits << 6) | sextet) & 0xffff
    bitCount += 6
    if (bitCount < 8) continue
    bitCount -= 8
    if (into) into[length] = bits >> bitCount
    length++
  }
  return { at: end, length, bits, bitCount }
}

const SEXTETS = new Int8Array(256).fill(-1)
for (const signs of [
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  "                                                              -_",
])
  for (const [sextet, sign] of [...signs].entries())
    if (sign !== " ") SEXTETS[sign.charCodeAt(0)] = sextet

const DIGITS = new Int8Array(256).fill(-1)
for (const digit of "0123456789abcdefABCDEF")
  DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)
const digitOf = (byte = 0) => DIGITS[byte] as number

/** A line of base64 has 76 characters. */
const BYTES_A_LINE = 57

function writeBase64(bytes: Buffer): Buffer {
  const lines = Math.ceil(bytes.length / BYTES_A_LINE)
  const into = Buffer.alloc(Math.ceil(bytes.length / 3) * 4 + Math.max(0, lines - 1) * 2)
  let length = 0
  for (let at = 0; at < bytes.length; at += BYTES_A_LINE) {
    if (at > 0) length += into.write("\r\n", length, "latin1")
    length += into.write(bytes.toString("base64", at, at + BYTES_A_LINE), length, "latin1")
  }
  return into
}

const HEX = Buffer.from("0123456789ABCDEF")
/** With the `=` of a soft line end, a line has 76. */
const LINE_CHARACTERS = 75
const SOFT_END = Buffer.from("=\r\n")

function quote(bytes: Buffer): Buffer {
  // Each byte becomes at most three, and there is at most one soft line end for 73 of those.
  const into = Buffer.alloc(Math.ceil(bytes.length * 3 * (1 + SOFT_END.length / 73)))
  let [length, column] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === CR && bytes[at + 1] === LF) {
      into[length++] = CR
      into[length++] = LF
      column = 0
      at++
      continue
    }
    const isBlank = byte === SPACE || byte === TAB
    const isPlain = isBlank
      ? at + 1 < bytes.length && !(bytes[at + 1] === CR && bytes[at + 2] === LF)
      : byte > SPACE && byte < DELETE && byte !== EQUALS
    const size = isPlain ? 1 : 3
    if (column + size > LINE_CHARACTERS) {
      length += SOFT_END.copy(into, length)
      column = 0
    }
    column += size
    into[length++] = isPlain ? byte : EQUALS
    if (isPlain) continue
    into[length++] = HEX[byte >> 4] as number
    into[length++] = HEX[byte & 15] as number
  }
  return into.subarray(0, length)
}
