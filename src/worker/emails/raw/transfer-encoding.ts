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
    decode: (text) =>
      text
        .replaceAll("=\r\n", "")
        .replace(/=([\dA-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    encode: (text) => text.split("\r\n").map(toLines).join("\r\n"),
    isInLines: false,
  },
}

/** Undefined for an encoding that is not known. */
export const codecOf = (encoding: string): Codec | undefined =>
  Object.hasOwn(CODECS, encoding) ? CODECS[encoding] : undefined

const toHex = (sign: string) => `=${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`

/** One line of text as lines of at most 76 characters. */
const toLines = (line: string) =>
  line
    .replace(/[^\t -<>-~]|[\t ]$/g, toHex)
    .match(/.{1,75}(?<!=)(?<!=.)/g)
    ?.join("=\r\n") ?? ""
