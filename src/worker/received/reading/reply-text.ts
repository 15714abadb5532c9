import { createTextReader } from "../../../lib/html-text.ts"
import { type Attributes, type HtmlReader, readHtmlInTurns } from "../../../lib/html-tokens.ts"

/** Lines that mail programs write above what they quote, each with the languages that it covers. */
const ABOVE_QUOTATION = [
  /^(on|am|le|el|il|em|op|den|dne|w dniu|på)\b.{0,200}\b(wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsal\(?a?\)?|napisał\(?a?\)?)\s*:\s*$/i,
  /^.{0,200}<[^<>\s]+@[^<>\s]+>.{0,40}:\s*$/,
  /^-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht)\s*-{2,}$/i,
  /^_{20,}$/,
]

/** The header that some programs write above a quotation without marks. */
const QUOTED_HEADER = /^\*?(from|von|de|da|van|fra|från)\s*:\*?\s.+/i
const QUOTED_FIELD =
  /^\*?(sent|gesendet|envoyé|enviado|inviato|verzonden|sendt|skickat|date|datum|fecha|data|to|an|à|para|a|aan|til|till|subject|betreff|objet|asunto|oggetto|assunto|onderwerp|emne|ämne)\s*:\*?\s/i

const SIGNATURE =
  /^(-- ?|sent from my .{1,40}|von meinem .{1,40} gesendet|envoyé de mon .{1,40}|enviado desde mi .{1,40})$/i

/** Nobody writes more. */
const MAX_LINES = 20_000

/** What somebody wrote: a text without what it quotes and without its signature. */
export function replyTextOf(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n", MAX_LINES)
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] as string).trimEnd()
    if (line.startsWith(">")) continue
    if (SIGNATURE.test(line.trim()) || startsQuotation(lines, at)) break
    kept.push(line)
  }
  return kept
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/** The same of html. A quotation counts as one marked line, since an answer may stand below it. */
export async function replyTextOfHtml(html: string): Promise<string> {
  const { reader, text } = createTextReader()
  await readHtmlInTurns(html, withMarkedQuotations(reader))
  return replyTextOf(text())
}

function withMarkedQuotations(reader: Required<HtmlReader>): Required<HtmlReader> {
  let depth = 0
  return {
    attributes: new Set([...reader.attributes, "type", "class"]),
    open(tag, attributes) {
      if (tag === "blockquote" && (depth > 0 || isQuotation(attributes)) && ++depth === 1) {
        reader.open("p", NO_ATTRIBUTES)
        reader.text(">")
        reader.close("p", 0)
      } else if (depth === 0) reader.open(tag, attributes)
    },
    close(tag, at) {
      if (depth === 0) reader.close(tag, at)
      else if (tag === "blockquote") depth--
    },
    text(text) {
      if (depth === 0) reader.text(text)
    },
  }
}

const NO_ATTRIBUTES: Attributes = new Map()

/** Without these, mail programs use the element to indent a paragraph. */
const isQuotation = (attributes: Attributes) =>
  attributes.get("type")?.value.toLowerCase() === "cite" ||
  /quote/i.test(attributes.get("class")?.value ?? "")

/** A line above a quotation may be folded into two. Behind it, nothing but the quotation follows. */
function startsQuotation(lines: readonly string[], at: number): boolean {
  const line = (lines[at] as string).trim()
  if (line === "" || line.length > 300) return false
  const next = lines[at + 1]?.trim() ?? ""
  const isHeader = QUOTED_HEADER.test(line) && QUOTED_FIELD.test(next)
  const isAbove = ABOVE_QUOTATION.some(
    (pattern) => pattern.test(line) || isFolded(pattern, line, next),
  )
  return isHeader || (isAbove && restIsQuoted(lines, at, line))
}

const isFolded = (pattern: RegExp, line: string, next: string) =>
  next.length <= 200 && next.endsWith(":") && pattern.test(`${line} ${next}`)

/** An answer below or between the lines that it quotes goes on. Looks no further than the quotation. */
function restIsQuoted(lines: readonly string[], at: number, line: string): boolean {
  const begin = nextLine(lines, at + (line.endsWith(":") ? 1 : 2))
  if (!lines[begin]?.startsWith(">")) return true
  const end = nextLine(lines, begin, (one) => one.startsWith(">"))
  return end === lines.length || SIGNATURE.test((lines[end] as string).trim())
}

/** The place of the next line that is neither empty nor passed over. */
function nextLine(lines: readonly string[], from: number, isPassed = (_: string) => false): number {
  let at = from
  while (
    at < lines.length &&
    ((lines[at] as string).trim() === "" || isPassed(lines[at] as string))
  )
    at++
  return at
}
