import { domainToASCII } from "node:url"

/** Fields of addresses, ids or URLs with words beside them (RFC 2369, 2919, 5322, 8098). */
export const STRUCTURED = /^(list-.*|references|keywords|.*-to)$/i
const IDS = /^(in-reply-to|references)$/i

const ASCII = /^[ -~]*$/
/** Words beyond ASCII that stand side by side, and words that a reader would decode. */
const TO_ENCODE = /[^ ]*(?:[^ -~]|=\?)[^ ]*(?: +[^ ]*(?:[^ -~]|=\?)[^ ]*)*/g
const PIECES = /<([^<>]*)>|\(([^()]*)\)|((?:"(?:\\.|[^"\\])*"|[^<>,;:()"])+)/g

/** The longest line of RFC 5322 has 998 characters, and the name stands in front of the first. */
const MAX_WORD_LENGTH = 900
const LINE_LENGTH = 76

type Encode = (text: string) => string

/** Header fields in ASCII, each folded and with its line end. The subject is the first. */
export async function writeFields(
  subject: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const { encodeWord } = await import("nodemailer/lib/mime-funcs")
  const encode = (text: string) => encodeWord(text, isMostlyAscii(text) ? "Q" : "B", 52)
  const fields = Object.entries(headers).map(([name, value]) => {
    const line = inOneLine(value)
    return [name.replace(/[^!-9;-~]/g, ""), toAscii(name, line, encode)] as const
  })
  return [["Subject", subjectOf(inOneLine(subject), encode)] as const, ...fields]
    .map(([name, value]) => (value === "" ? "" : `${fold(`${name}: ${value}`)}\r\n`))
    .join("")
}

const isMostlyAscii = (text: string) => text.replace(/[ -~]/g, "").length < text.length / 2

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the field
const inOneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim()

/** A subject is encoded as a whole, since some mail programs lose spaces beside encoded words. */
const subjectOf = (subject: string, encode: Encode) =>
  ASCII.test(subject) && !subject.includes("=?") && !/[^ ]{900}/.test(subject)
    ? subject
    : encode(subject)

function toAscii(name: string, value: string, encode: Encode): string {
  if (IDS.test(name) && !/[<>]/.test(value)) return toAscii(name, inBrackets(value), encode)
  if (ASCII.test(value)) return value
  return STRUCTURED.test(name)
    ? encodePieces(value, encode)
    : value.replace(TO_ENCODE, (words) => encode(words))
}

const inBrackets = (ids: string) => ids.replace(/[^ ,]*@[^ ,]*/g, "<$&>")

/** Ids, addresses and URLs stand as they are, and the words beside them are encoded. */
const encodePieces = (value: string, encode: Encode) =>
  value
    .replace(PIECES, (piece: string, reference?: string, comment?: string) => {
      if (ASCII.test(piece)) return piece
      if (reference !== undefined) return `<${referenceInAscii(reference)}>`
      if (comment !== undefined) return `(${encode(comment)})`
      const [, before = "", words = "", after = ""] = /^( *)(.*?)( *)$/s.exec(piece) ?? []
      const isAddress = /^[^ "]+@[^ "]+$/.test(words)
      return before + (isAddress ? idInAscii(words) : encode(unquoted(words))) + after
    })
    .replace(/\?=(?=[<(])/g, "?= ")

const unquoted = (words: string) =>
  words.replace(/"((?:\\.|[^"\\])*)"/g, (_, quoted: string) => quoted.replace(/\\(.)/g, "$1"))

/** Readers leave out spaces inside of a URL (RFC 2369). */
export const referenceInAscii = (reference: string) =>
  /^[a-z][a-z0-9+.-]*:/i.test(reference)
    ? (URL.parse(reference)?.href ?? percentEncoded(reference)).replace(
        new RegExp(`.{${MAX_WORD_LENGTH}}(?=.)`, "g"),
        "$& ",
      )
    : idInAscii(reference)

/** An address, the id of a message, or that of a list, which is a domain. */
function idInAscii(id: string): string {
  const at = id.lastIndexOf("@") + 1
  const domain = id.slice(at)
  return percentEncoded(id.slice(0, at)) + (domainToASCII(domain) || percentEncoded(domain))
}

const percentEncoded = (text: string) =>
  text.replace(/[^!-~]+/g, (part) => encodeURIComponent(part.toWellFormed()))

/** Breaks lines between words. The first word stays on the line of the name, since some readers need it. */
function fold(field: string): string {
  const [first = "", ...words] = field.match(/^[^:]*: *[^ ]+| +[^ ]+/g) ?? []
  let length = first.length
  return words.reduce((folded, word) => {
    const isBeyond = length + word.length > LINE_LENGTH
    length = isBeyond ? word.length : length + word.length
    return `${folded}${isBeyond ? "\r\n" : ""}${word}`
  }, first)
}
