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
    decode: (text) => unquoted(Buffer.from(text, "latin1")).toString("latin1"),
    encode: (text) => text.split("\r\n").map(toLines).join("\r\n"),
    isInLines: false,
  },
}

/** Undefined for an encoding that is not known. */
export const codecOf = (encoding: string): Codec | undefined =>
  Object.hasOwn(CODECS, encoding) ? CODECS[encoding] : undefined

const [EQUALS, CR, LF] = Buffer.from("=\r\n") as unknown as [number, number, number]

/**
 * Writes what quoted-printable stands for, which is never longer, and answers its length. A regular expression
 * takes a thousand times the memory of a large file.
 */
export function unquote(bytes: Uint8Array, into?: Uint8Array): number {
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

export function unquoted(bytes: Uint8Array): Buffer {
  const decoded = Buffer.alloc(unquote(bytes))
  unquote(bytes, decoded)
  return decoded
}

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
