import { createTextReader } from "../../../lib/html-text.ts"
import { type Attributes, type HtmlReader, readHtmlInTurns } from "../../../lib/html-tokens.ts"

/** "On Monday, Ada wrote:" and the like. */
const WROTE =
  /^(on|am|le|el|il|em|op|den|dne|w dniu|på)\b.{0,200}\b(wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsal\(?a?\)?|napisał\(?a?\)?)\s*[:：]$/i
const ENDS_WITH_COLON = /[:：]\p{Cf}*$/u
const ADDRESS = /<[^<>\s@]+@[^<>\s@]+>/
const TIME_OF_DAY = /\d[:.]\d\d\b(?!\.)/
const YEAR = /\d{4}/

/** Nobody writes these themselves. */
const SEPARATORS = [
  /^-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht)\s*-{2,}$/i,
  /^_{20,}$/,
]
/** Stands above many quotations, sometimes with words: `-----Original Message-----`. */
const RULE = /^(-{3,}|_{3,})(.{1,60}(-{3,}|_{3,}))?$/

/** A line of a header, in any language. */
const FIELD = /^\*?\p{L}[\p{L}\p{M}\s]{0,30}(:\*?(\s|$)|：)/u
const FROM = /^\*?(from|von|de|da|van|fra|från)\s*:/i
const SENT = /^\*?(sent|gesendet|envoyé|enviado|inviato|verzonden|sendt|skickat)\s*:/i

const SIGNATURE = /^-- ?$/
const PHONE_SIGNATURE =
  /^((sent from my|envoyé de mon|enviado desde mi|enviado do meu|verstuurd vanaf mijn|skickat från min|sendt fra min) .{1,40}|von meinem .{1,40} gesendet|发自我的.{1,40}|(inviato da|wysłane z|odesláno z|отправлено с) (iphon|ipad|android).{0,20}|(iphone|ipad)から送信)$/i

/** Nobody writes more. */
const MAX_LINES = 20_000

/** What somebody wrote: a text without what it quotes and without its signature. All of it if nothing else is left. */
export function replyTextOf(text: string): string {
  const lines = linesOf(text)
  return writtenIn(lines) || lines.join("\n").trim()
}

/** The same of html. A quotation counts as one marked line, since an answer may stand below it. */
export async function replyTextOfHtml(html: string): Promise<string> {
  const marked = await readText(html, withMarkedQuotations)
  return writtenIn(linesOf(marked)) || (await readText(html))
}

const linesOf = (text: string) => text.replace(/\r\n?/g, "\n").split("\n", MAX_LINES)

function writtenIn(lines: readonly string[]): string {
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

type Reader = Required<HtmlReader>

async function readText(html: string, around = (reader: Reader) => reader): Promise<string> {
  const { reader, text } = createTextReader()
  await readHtmlInTurns(html, around(reader))
  return text()
}

function withMarkedQuotations(reader: Reader): Reader {
  let depth = 0
  return {
    attributes: new Set([...reader.attributes, "type", "class", "id"]),
    open(tag, attributes) {
      if (depth > 0) {
        if (tag === "blockquote") depth++
        return
      }
      const isLast = QUOTING_IDS.has(attributes.get("id")?.value ?? "")
      if (isLast) depth = Number.POSITIVE_INFINITY
      else if (tag === "blockquote" && isQuotation(attributes)) depth = 1
      else return reader.open(tag, attributes)
      reader.open("p", NO_ATTRIBUTES)
      reader.text(">")
      reader.close("p", 0)
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

/** Outlook quotes in all that follows these elements. */
const QUOTING_IDS = new Set(["appendonsend", "divRplyFwdMsg"])

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
  if (SEPARATORS.some((pattern) => pattern.test(line)) || isHeader(lines, at)) return true
  if (RULE.test(line)) {
    return isHeader(lines, nextLine(lines, at + 1)) || restIsQuoted(lines, at + 1, false)
  }
  if (isAttribution(line)) return restIsQuoted(lines, at + 1, isDated(line))
  // The line may be folded into two.
  const folded = `${line} ${next}`
  if (next.length <= 200 && !isAttribution(next) && isAttribution(folded))
    return restIsQuoted(lines, at + 2, isDated(folded))
  if (!ENDS_WITH_COLON.test(line)) return false
  return (ADDRESS.test(line) || TIME_OF_DAY.test(line)) && restIsQuoted(lines, at + 1, false)
}

/** The header that some programs write above a quotation without marks: who wrote it, when, and more. */
function isHeader(lines: readonly string[], at: number): boolean {
  const fields = [0, 1, 2].map((below) => textAt(lines, at + below))
  if (!fields.every((field) => FIELD.test(field))) return false
  const [from = "", ...others] = fields
  const isSent = others.some((field) => SENT.test(field))
  if (!from.includes("@")) return FROM.test(from) && isSent
  return isSent || others.some((field) => TIME_OF_DAY.test(field))
}

/** Whether a line says who wrote what is below it. Other languages are known by an address and a time. */
const isAttribution = (text: string) =>
  ENDS_WITH_COLON.test(text) && (WROTE.test(text) || (ADDRESS.test(text) && isDated(text)))

const isDated = (text: string) => TIME_OF_DAY.test(text) && YEAR.test(text)

/**
 * An answer below or between the lines that it quotes goes on. Looks no further than the quotation. Some programs
 * mark no line of it: then only a date and a time above tell it from what people write.
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
