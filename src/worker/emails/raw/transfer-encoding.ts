/** A transfer encoding of RFC 2045, over texts with a character for each byte. */
interface Codec {
  decode(text: string): string
  encode(text: string): string
  /** The text stands in the message as it is, with lines of limited length. */
  isInLines: boolean
}

const asItIs: Codec = { decode: (text) => text, encode: (text) => text, isInLines: true }

const CODECS: Record<string, Codec> = {
  "7bit": asItIs,
  "8bit": asItIs,
  binary: asItIs,
  base64: {
    decode: (text) => Buffer.from(text, "base64").toString("latin1"),
    encode: (text) =>
      Buffer.from(text, "latin1")
        .toString("base64")
        .replace(/.{76}(?=.)/g, "$&\r\n"),
    isInLines: false,
  },
  "quoted-printable": {
    decode: (text) => decoded(Buffer.from(text, "latin1"), unquote).toString("latin1"),
    encode: (text) => text.split("\r\n").map(toLines).join("\r\n"),
    isInLines: false,
  },
}

/** Undefined for an encoding that is not known. */
export const codecOf = (encoding: string): Codec | undefined =>
  Object.hasOwn(CODECS, encoding) ? CODECS[encoding] : undefined

const [EQUALS, CR, LF] = Buffer.from("=\r\n") as unknown as [number, number, number]

/** Writes what encoded bytes stand for, which is never longer, and answers its length. Both may be the same bytes. */
type Decode = (bytes: Uint8Array, into?: Uint8Array) => number

/** Of the encodings in which bytes do not stand for themselves. Regular expressions take far more memory. */
export const DECODE = new Map<string, Decode>([
  ["quoted-printable", unquote],
  ["base64", readBase64],
])

export function decoded(bytes: Uint8Array, decode: Decode): Buffer {
  const into = Buffer.alloc(bytes.length)
  return into.subarray(0, decode(bytes, into))
}

function unquote(bytes: Uint8Array, into?: Uint8Array): number {
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
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
  return length
}

/** Ends at the first `=`. */
function readBase64(bytes: Uint8Array, into?: Uint8Array): number {
  let [length, bits, count] = [0, 0, 0]
  for (let at = 0; at < bytes.length && bytes[at] !== EQUALS; at++) {
    const sextet = SEXTETS[bytes[at] as number] as number
    if (sextet < 0) continue
    bits = ((bits << 6) | sextet) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    if (into) into[length] = bits >> count
    length++
  }
  return length
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

const toHex = (sign: string) => `=${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`

/** One line of text as lines of at most 76 characters. */
const toLines = (line: string) =>
  line
    .replace(/[^\t -<>-~]|[\t ]$/g, toHex)
    .match(/.{1,75}(?<!=)(?<!=.)/g)
    ?.join("=\r\n") ?? ""
