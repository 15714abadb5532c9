import { domainToASCII } from "node:url"
import { type HeaderField, headerFields, splitMessage } from "../../../lib/header-fields.ts"

/** The message with a header of ASCII alone, for servers without SMTPUTF8 (RFC 6531). */
export async function encodeHeader(raw: Buffer): Promise<Buffer> {
  const { head, body } = splitMessage(raw)
  const block = head.toString("latin1")
  if (!BEYOND_ASCII.test(block)) return raw
  const { encodeWord } = await import("nodemailer/lib/mime-funcs")
  /** Encoded words, each on a line of its own. */
  const encode: Encode = (text, value, at) => {
    const words = encodeWord(text.replaceAll("\r\n", ""), "Q", 52).replaceAll(" ", "\r\n ")
    return at - value.lastIndexOf("\n", at) > LATE_COLUMN ? `\r\n ${words}` : words
  }
  const fields = headerFields(block).map((field) =>
    BEYOND_ASCII.test(field.text) ? encodeField(field, encode) : field.text,
  )
  return Buffer.concat([Buffer.from(`${fields.join("\r\n")}\r\n\r\n`, "latin1"), body])
}

const BEYOND_ASCII = /[\u0080-\uffff]/
const LATE_COLUMN = 60

/** Encodes a text that stands in a value at this place. */
type Encode = (text: string, value: string, at: number) => string
type Grammar = (value: string, encode: Encode) => string

function encodeField({ name, text }: HeaderField, encode: Encode): string {
  const start = text.indexOf(":") + 1
  const value = Buffer.from(text.slice(start), "latin1").toString("utf8")
  const encoded = (GRAMMARS.get(name ?? "") ?? encodeText)(value, encode)
  // A fold has a space of its own.
  return text.slice(0, start) + encoded.replaceAll(" \r\n ", "\r\n ")
}

/** From the first word beyond ASCII to the last one, since spaces between encoded words are lost. */
const encodeText: Grammar = (value, encode) => {
  const words = [...value.matchAll(/[^ \t\r\n]+/g)].filter(([word]) => BEYOND_ASCII.test(word))
  const [first, last] = [words[0]!, words.at(-1)!]
  const end = last.index + last[0].length
  const text = value.slice(first.index, end)
  return value.slice(0, first.index) + encode(text, value, first.index) + value.slice(end)
}

/** A quote that never ends is a sign of its own, and so is one behind a backslash: the text is read once. */
const WORD = /"(?:[^"\\]|\\.)*"|[^\s"<>(),:;@\\]+/s.source
const ADDRESS_PARTS = new RegExp(
  `\\\\.|@(?<domain>[^\\s"<>(),:;@\\\\]+)|(?:${WORD})(?:\\s+(?:${WORD}))*`,
  "gs",
)

/** Quoted names lose their quotes, in which no encoded word may stand. */
const encodeAddresses: Grammar = (value, encode) =>
  value.replace(ADDRESS_PARTS, (text: string, domain: string | undefined, at: number) => {
    if (!BEYOND_ASCII.test(text)) return text
    if (domain !== undefined) return `@${domainToASCII(domain)}`
    return encode(text.replace(/\\(.)|"/g, "$1"), value, at)
  })

/** RFC 2231. */
const encodeParameters: Grammar = (value) =>
  value.replace(/([\w-]+)=(?:"([^"]*)"|([^\s;"]+))/g, (text, name, quoted, bare) =>
    BEYOND_ASCII.test(text) ? `${name}*=utf-8''${encodeURIComponent(quoted ?? bare)}` : text,
  )

const WITH_ADDRESSES = [
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "resent-from",
  "resent-sender",
  "resent-to",
  "resent-cc",
  "disposition-notification-to",
  "mail-followup-to",
]

const GRAMMARS = new Map([
  ["content-type", encodeParameters],
  ["content-disposition", encodeParameters],
  ...WITH_ADDRESSES.map((name) => [name, encodeAddresses] as const),
])
