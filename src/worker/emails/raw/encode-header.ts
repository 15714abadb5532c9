import { domainToASCII } from "node:url"
import { extendedValue } from "../../../lib/extended-value.ts"
import { type HeaderField, headerFields, splitMessage } from "../../../lib/header-fields.ts"
import { referenceInAscii, STRUCTURED } from "../../providers/header-fields.ts"

/** The message with a header of ASCII alone, for servers without SMTPUTF8 (RFC 6531). */
export async function encodeHeader(raw: Buffer): Promise<Buffer> {
  const { head, body } = splitMessage(raw)
  const block = head.toString("latin1")
  if (!BEYOND_ASCII.test(block)) return raw
  const { encodeWord } = await import("nodemailer/lib/mime-funcs")
  /** Encoded words, each on a line of its own. */
  const encode: Encode = (text, value, at) =>
    folded(encodeWord(text.replaceAll("\r\n", ""), "Q", 52), value, at)
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

/** Words, each on a line of its own. */
function folded(text: string, value: string, at: number): string {
  const words = text.replaceAll(" ", "\r\n ")
  return at - value.lastIndexOf("\n", at) > LATE_COLUMN ? `\r\n ${words}` : words
}

function encodeField({ name, text }: HeaderField, encode: Encode): string {
  const start = text.indexOf(":") + 1
  const value = Buffer.from(text.slice(start), "latin1").toString("utf8")
  const encoded = grammarOf(name ?? "")(value, encode)
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
  `\\\\.|<(?<reference>[^<>]*)>|@(?<domain>[^\\s"<>(),:;@\\\\]+)|(?:${WORD})(?:\\s+(?:${WORD}))*`,
  "gs",
)

/** Quoted names lose their quotes, in which no encoded word may stand. */
const encodeAddresses: Grammar = (value, encode) =>
  value.replace(ADDRESS_PARTS, (text: string, reference?: string, domain?: string, at = 0) => {
    if (!BEYOND_ASCII.test(text)) return text
    if (reference !== undefined)
      return folded(`<${referenceInAscii(reference.replace(/\s+/g, ""))}>`, value, at)
    if (domain !== undefined) return `@${domainToASCII(domain)}`
    return encode(text.replace(/\\(.)|"/g, "$1"), value, at)
  })

/** A character has at most 12 signs, and a line 998. */
const SECTION_CHARACTERS = 70

/** RFC 2231: a long text is in sections. */
const encodeParameters: Grammar = (value) =>
  value.replace(/([\w-]+)=(?:"([^"]*)"|([^\s;"]+))/g, (text, name, quoted, bare, at) => {
    if (!BEYOND_ASCII.test(text)) return text
    const characters = [...(quoted ?? bare)]
    const count = Math.ceil(characters.length / SECTION_CHARACTERS)
    const sections = Array.from({ length: count }, (_, index) => {
      const section = characters.slice(index * SECTION_CHARACTERS).slice(0, SECTION_CHARACTERS)
      const number = count > 1 ? `*${index}` : ""
      return `${name}${number}*=${index === 0 ? "utf-8''" : ""}${extendedValue(section.join(""))}`
    })
    return folded(sections.join("; "), value, at)
  })

const ADDRESSES = /^((resent-)?(from|sender|to|cc|bcc))$/
const PARAMETERS = /^content-(type|disposition)$/

function grammarOf(name: string): Grammar {
  if (PARAMETERS.test(name)) return encodeParameters
  return ADDRESSES.test(name) || STRUCTURED.test(name) ? encodeAddresses : encodeText
}
