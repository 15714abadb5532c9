import { escapeHtml } from "../../../lib/html.ts"

/** The names of merge fields: fields of the contact, and its properties. */
const FIELD =
  "firstName|lastName|email|properties\\.[^{}<>&\"'\\s](?:[^{}<>&\"']{0,62}[^{}<>&\"'\\s])?"

export const MERGE_FIELD = new RegExp(`^(?:${FIELD})$`)
const written = (fields: string) => new RegExp(`\\{\\{\\s*(${fields})\\s*\\}\\}`, "g")

/** The link of the recipient's preference page. The subject does not take it. */
const PREFERENCES_URL = "preferencesUrl"
const WRITTEN = written(`${FIELD}|${PREFERENCES_URL}`)
const WRITTEN_IN_SUBJECT = written(FIELD)

/** Whether a URL is the link of the preference page as a whole. */
export const isPreferencesUrl = (url: string) =>
  new RegExp(`^\\{\\{\\s*${PREFERENCES_URL}\\s*\\}\\}$`).test(url)

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

/** Text for one place: merge fields become slots, and the rest is escaped. */
function placed(
  place: Place,
  text: string,
  around: (text: string) => string,
  fields = WRITTEN,
): string {
  return text
    .replaceAll(MARK, "")
    .split(fields)
    .map((part, index) => (index % 2 === 0 ? around(part) : slot(place, part)))
    .join("")
}

export const toTemplate = (marked: string): Template =>
  marked.split(MARK).map((part, index) => (index % 2 === 0 ? part : toSlot(part)))

function toSlot(part: string): Slot {
  const at = part.indexOf(" ")
  return { place: part.slice(0, at) as Place, field: part.slice(at + 1) }
}

/** For HTML that is already escaped. */
export const inEscapedHtml = (html: string) => placed("html", html, (same) => same)
export const inHtml = (text: string) => placed("html", text, escapeHtml)
export const inText = (text: string) => placed("text", text, (same) => same)
export const inSubject = (text: string) => placed("text", text, (same) => same, WRITTEN_IN_SUBJECT)
export const inUrl = (url: string) => (isPreferencesUrl(url) ? inHtml : inUrlOf(escapeHtml))(url)
export const inTextUrl = (url: string) =>
  (isPreferencesUrl(url) ? inText : inUrlOf((same) => same))(url)
const inUrlOf = (around: (text: string) => string) => (url: string) => placed("url", url, around)

/** For text without merge fields, such as the team's name and address. */
export const literalHtml = (text: string) => escapeHtml(literalText(text))
export const literalText = (text: string) => text.replaceAll(MARK, "")

/** The slot of the footer's link. It is filled like a merge field, but no block can name it. */
export const UNSUBSCRIBE_URL = {
  html: slot("html", "unsubscribeUrl"),
  text: slot("text", "unsubscribeUrl"),
}

export const withoutFields = (text: string) => text.replace(WRITTEN, "x")
export const indexOfField = (text: string) => text.search(WRITTEN)

/** The text with its merge fields as they are written, for whom fills them in later. */
export const toWritten = (template: Template): string =>
  template.map((part) => (typeof part === "string" ? part : `{{ ${part.field} }}`)).join("")

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
export const mergeValue =
  (contact: MergeContact, defaults: Record<string, string>) =>
  (field: string): string => {
    const value = ownValue(contact, field)
    if (value !== null && value !== "") return String(value)
    return Object.hasOwn(defaults, field) ? (defaults[field] ?? "") : ""
  }

function ownValue(contact: MergeContact, field: string) {
  if (field === "firstName" || field === "lastName" || field === "email") return contact[field]
  const name = field.slice("properties.".length)
  return Object.hasOwn(contact.properties, name) ? (contact.properties[name] ?? null) : null
}
