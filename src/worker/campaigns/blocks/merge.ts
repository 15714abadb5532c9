import { escapeHtml } from "../../../lib/html.ts"
import { decodeEntities } from "./rich-text.ts"

/** The names of merge fields: fields of the contact, and its properties. */
export const MERGE_FIELD =
  /^(?:firstName|lastName|email|properties\.[^{}\s](?:[^{}]{0,62}[^{}\s])?)$/

/** `{{ name }}`, or `{{{ name }}}`, which other tools write for the same. */
export const BRACED = /(\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\})/

/** The link of the recipient's preference page. The subject does not take it. */
const PREFERENCES_URL = "preferencesUrl"

const isField = (name: string) => MERGE_FIELD.test(name) || name === PREFERENCES_URL
const isFieldOfSubject = (name: string) => MERGE_FIELD.test(name)

const inOneSpace = (name: string) => name.replace(/\s+/g, " ")
const nameIn = (braced: string) => inOneSpace(braced.replace(/^\{+|\}+$/g, "")).trim()

/** The text in pieces: each second one stands in braces. */
const piecesOf = (text: string) => text.split(BRACED)

/** Whether a URL is the link of the preference page as a whole. */
export const isPreferencesUrl = (url: string) => {
  const [before, braced = "", ...after] = piecesOf(url)
  return before === "" && after.join("") === "" && nameIn(braced) === PREFERENCES_URL
}

/** What a text has in braces: names that values can fill, others, and braces without a pair. */
export function readPlaceholders(text: string, { inSubject = false } = {}) {
  const pieces = piecesOf(text)
  const names = pieces.filter((_, index) => index % 2 === 1).map(nameIn)
  const canFill = inSubject ? isFieldOfSubject : isField
  return {
    fields: names.filter(canFill),
    unknown: names.filter((name) => !canFill(name)),
    isBroken: pieces.some((piece, index) => index % 2 === 0 && /\{\{|\}\}/.test(piece)),
  }
}

/** The escaping for each place where a value can stand. */
const PLACES = {
  html: escapeHtml,
  /** Part of a URL in HTML: the value can add neither a quote nor a scheme. */
  url: (value: string) => encodeURIComponent(value).replaceAll("%40", "@").replaceAll("'", "%27"),
  text: (value: string) => value,
}
type Place = keyof typeof PLACES

interface Slot {
  place: Place
  field: string
}

/** A text with the slots of its merge fields. */
export type Template = (string | Slot)[]

/**
 * Marks both ends of a slot while a text is built. No author can write a mark: `placed` removes the
 * character from its input.
 */
const MARK = "\u0001"
const slot = (place: Place, field: string) => `${MARK}${place} ${field}${MARK}`

interface Around {
  /** What becomes of the text beside the merge fields. */
  write?: (text: string) => string
  /** Reads what stands in braces. */
  read?: (braced: string) => string
  canFill?: (name: string) => boolean
}

const same = (text: string) => text

/** Text for one place: merge fields become slots. */
function placed(
  place: Place,
  text: string,
  { write = same, read = same, canFill = isField }: Around = {},
): string {
  return piecesOf(text.replaceAll(MARK, ""))
    .map((piece, index) => {
      const name = index % 2 === 1 ? nameIn(read(piece)) : ""
      return canFill(name) ? slot(place, name) : write(piece)
    })
    .join("")
}

export const toTemplate = (marked: string): Template =>
  marked.split(MARK).map((part, index) => (index % 2 === 0 ? part : toSlot(part)))

function toSlot(part: string): Slot {
  const at = part.indexOf(" ")
  return { place: part.slice(0, at) as Place, field: part.slice(at + 1) }
}

/** For HTML that is already escaped. */
export const inEscapedHtml = (html: string) =>
  placed("html", withBraces(html), { read: decodeEntities })
/** The plain text of such HTML. */
export const inTextOfHtml = (html: string) =>
  placed("text", decodeEntities(html).replace(/[ \t\r\n\u00a0]+/g, " "))
export const inHtml = (text: string) => placed("html", text, { write: escapeHtml })
export const inText = (text: string) => placed("text", text)
export const inSubject = (text: string) => placed("text", text, { canFill: isFieldOfSubject })
export const inUrl = (url: string) =>
  placed(isPreferencesUrl(url) ? "html" : "url", url, { write: escapeHtml })
export const inTextUrl = (url: string) => placed(isPreferencesUrl(url) ? "text" : "url", url)

/** Braces as themselves, also where they are written as character references. */
const withBraces = (html: string) =>
  html.replace(/&#\w+;/g, (reference) => {
    const character = decodeEntities(reference)
    return character === "{" || character === "}" ? character : reference
  })

/** For text without merge fields, such as the team's name and address. */
export const literalHtml = (text: string) => escapeHtml(literalText(text))
export const literalText = (text: string) => text.replaceAll(MARK, "")

/** The slot of the footer's link. It is filled like a merge field, but no block can name it. */
export const UNSUBSCRIBE_URL = {
  html: slot("html", "unsubscribeUrl"),
  text: slot("text", "unsubscribeUrl"),
}

export const withoutFields = (text: string) =>
  piecesOf(text)
    .map((piece, index) => (index % 2 === 1 && isField(nameIn(piece)) ? "x" : piece))
    .join("")

/** Where the first merge field begins, or -1. */
export function indexOfField(text: string): number {
  const pieces = piecesOf(text)
  const first = pieces.findIndex((piece, index) => index % 2 === 1 && isField(nameIn(piece)))
  return first === -1 ? -1 : pieces.slice(0, first).join("").length
}

/** The text with its merge fields as they are written, for whom fills them in later. */
export const toWritten = (template: Template): string =>
  template
    .map((part) => {
      if (typeof part === "string") return part
      const written = `{{ ${part.field} }}`
      return part.place === "text" ? written : escapeHtml(written)
    })
    .join("")

/**
 * A template with one recipient's values. Merge fields inside values are not replaced. Stops when
 * the result is longer than `max`: a short template with long values could fill the memory.
 */
export function fill(template: Template, read: (field: string) => string, max: number): string {
  let filled = ""
  for (const part of template) {
    filled += typeof part === "string" ? part : PLACES[part.place](read(part.field))
    if (filled.length > max) break
  }
  return filled
}

export interface MergeContact {
  email: string
  firstName: string | null
  lastName: string | null
  properties: Record<string, string | number | boolean>
}

/** The contact's value, else the campaign's default, else an empty string. */
export function mergeValue({ properties, ...contact }: MergeContact, defaults: Defaults) {
  const propertyOf = readerOf(properties)
  const defaultOf = readerOf(defaults)

  function own(field: string) {
    if (field === "firstName" || field === "lastName" || field === "email") return contact[field]
    return propertyOf(field.slice("properties.".length))
  }

  return (field: string): string => {
    const value = own(field) ?? ""
    return value !== "" ? String(value) : (defaultOf(field) ?? "")
  }
}

/** Reads values by names as merge fields have them, which have no two spaces in a row. */
function readerOf<T>(values: Record<string, T>) {
  let written: Map<string, T> | undefined
  return (name: string): T | undefined => {
    if (Object.hasOwn(values, name)) return values[name]
    written ??= new Map(
      Object.entries(values)
        .toReversed()
        .map(([key, value]) => [inOneSpace(key).trim(), value]),
    )
    return written.get(name)
  }
}

type Defaults = Record<string, string>
