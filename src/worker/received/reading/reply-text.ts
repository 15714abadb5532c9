import { createTextReader } from "../../../lib/html-text.ts"
import { type Attributes, type HtmlReader, readHtmlInTurns } from "../../../lib/html-tokens.ts"

/** "On Monday, Ada wrote:" and the like. */
const WROTE =
  /^(on|am|le|el|il|em|op|den|dne|w dniu|på)\b.{0,200}\b(wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsal\(?a?\)?|napisał\(?a?\)?)\s*:\s*$/i
const WITH_ADDRESS = /^.{0,200}<[^<>\s]+@[^<>\s]+>.{0,40}:\s*$/
/** Nobody writes these themselves. */
const SEPARATORS = [
  /^-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht)\s*-{2,}$/i,
  /^_{20,}$/,
]

/** The header that some programs write above a quotation without marks. */
const QUOTED_HEADER = /^\*?(from|von|de|da|van|fra|från)\s*:\*?\s.+/i
const QUOTED_FIELD =
  /^\*?(sent|gesendet|envoyé|enviado|inviato|verzonden|sendt|skickat|date|datum|fecha|data|to|an|à|para|a|aan|til|till|subject|betreff|objet|asunto|oggetto|assunto|onderwerp|emne|ämne)\s*:\*?\s/i

const SIGNATURE = /^-- ?$/
const PHONE_SIGNATURE =
  /^(sent from my .{1,40}|von meinem .{1,40} gesendet|envoyé de mon .{1,40}|enviado desde mi .{1,40})$/i

/** Nobody writes more. */
const MAX_LINES = 20_000

/** What somebody wrote: a text without what it quotes and without its signature. */
export function replyTextOf(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n", MAX_LINES)
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] as string).trimEnd()
    if (line.startsWith(">")) continue
    if (isSignature(lines, at) || startsQuotation(lines, at)) break
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

/** Behind a phone's signature, nothing but a quotation follows. */
function isSignature(lines: readonly string[], at: number): boolean {
  const line = textAt(lines, at)
  if (!PHONE_SIGNATURE.test(line)) return SIGNATURE.test(line)
  const next = nextLine(lines, at + 1)
  return next === lines.length || isMarked(lines[next]) || startsQuotation(lines, next)
}

const textAt = (lines: readonly string[], at: number) => lines[at]?.trim() ?? ""

const isMarked = (line: string | undefined) => line?.startsWith(">") ?? false

function startsQuotation(lines: readonly string[], at: number): boolean {
  const [line, next] = [textAt(lines, at), textAt(lines, at + 1)]
  if (line === "" || line.length > 300) return false
  if (SEPARATORS.some((pattern) => pattern.test(line))) return true
  if (QUOTED_HEADER.test(line) && QUOTED_FIELD.test(next))
    return line.includes("@") || QUOTED_FIELD.test(textAt(lines, at + 2))
  if (WROTE.test(line)) return restIsQuoted(lines, at + 1, hasDate(line))
  // The line may be folded into two.
  if (next.length <= 200 && WROTE.test(`${line} ${next}`))
    return restIsQuoted(lines, at + 2, hasDate(line) || hasDate(next))
  return WITH_ADDRESS.test(line) && restIsQuoted(lines, at + 1, false)
}

const hasDate = (line: string) => /\d/.test(line)

/**
 * An answer below or between the lines that it quotes goes on. Looks no further than the quotation. Some programs
 * mark no line of it: then only a date above tells it from what people write.
 */
function restIsQuoted(lines: readonly string[], from: number, isDated: boolean): boolean {
  const begin = nextLine(lines, from)
  if (!isMarked(lines[begin])) return isDated
  const end = nextLine(lines, begin, isMarked)
  const after = textAt(lines, end)
  return end === lines.length || SIGNATURE.test(after) || PHONE_SIGNATURE.test(after)
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
