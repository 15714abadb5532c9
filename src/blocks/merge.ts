import { escapeHtml } from "../lib/html.ts"

/** What a merge field may name: the contact's own fields, and its properties by their names. */
const FIELD =
  "firstName|lastName|email|properties\\.[^{}<>&\"'\\s](?:[^{}<>&\"']{0,62}[^{}<>&\"'\\s])?"

export const MERGE_FIELD = new RegExp(`^(?:${FIELD})$`)
const WRITTEN = new RegExp(`\\{\\{\\s*(${FIELD})\\s*\\}\\}`, "g")

/** Where a value ends up, which says how it is escaped. */
const PLACES = {
  html: escapeHtml,
  /** Part of an address that is written into HTML: neither a quote nor a scheme can come of it. */
  url: (value: string) => encodeURIComponent(value).replaceAll("%40", "@").replaceAll("'", "%27"),
  text: (value: string) => value,
}
type Place = keyof typeof PLACES

/** Where a recipient's value goes. */
interface Slot {
  place: Place
  field: string
}

/** A text with the slots of its merge fields. */
export type Template = (string | Slot)[]

/**
 * Stands on both sides of a slot while a text is put together. No author can write one: `placed`
 * takes the character out of whatever it is given.
 */
const MARK = "\u0001"
const slot = (place: Place, field: string) => `${MARK}${place} ${field}${MARK}`

/** Text for one place: the merge fields become slots, and the rest is escaped. */
function placed(place: Place, text: string, around: (text: string) => string): string {
  return text
    .replaceAll(MARK, "")
    .split(WRITTEN)
    .map((part, index) => (index % 2 === 0 ? around(part) : slot(place, part)))
    .join("")
}

export const toTemplate = (marked: string): Template =>
  marked.split(MARK).map((part, index) => (index % 2 === 0 ? part : toSlot(part)))

function toSlot(part: string): Slot {
  const at = part.indexOf(" ")
  return { place: part.slice(0, at) as Place, field: part.slice(at + 1) }
}

/** For HTML text that is escaped already. */
export const inEscapedHtml = (html: string) => placed("html", html, (same) => same)
export const inHtml = (text: string) => placed("html", text, escapeHtml)
export const inText = (text: string) => placed("text", text, (same) => same)
export const inUrl = (url: string) => placed("url", url, escapeHtml)
export const inTextUrl = (url: string) => placed("url", url, (same) => same)

/** For what names no merge field, whatever it looks like: the team's name and address. */
export const literalHtml = (text: string) => escapeHtml(literalText(text))
export const literalText = (text: string) => text.replaceAll(MARK, "")

/** Where the footer's link goes; filled like a merge field that no block can name. */
export const UNSUBSCRIBE_URL = {
  html: slot("html", "unsubscribeUrl"),
  text: slot("text", "unsubscribeUrl"),
}

export const withoutFields = (text: string) => text.replace(WRITTEN, "x")
export const indexOfField = (text: string) => text.search(WRITTEN)

/** A template as one recipient gets it; what is filled in is not read again. */
export const fill = (template: Template, read: (field: string) => string): string =>
  template
    .map((part) => (typeof part === "string" ? part : PLACES[part.place](read(part.field))))
    .join("")

/** Earlier versions stored a template as text: there a slot of the other part's place is plain text. */
export function fromStoredText(text: string, part: "html" | "text"): Template {
  const pieces = text.split(new RegExp(`\\{\\{(${part}|url) (unsubscribeUrl|${FIELD})\\}\\}`))
  return pieces.flatMap((piece, index) => {
    if (index % 3 === 0) return piece
    return index % 3 === 1 ? { place: piece as Place, field: pieces[index + 1] ?? "" } : []
  })
}

/** What merge fields are filled from. */
export interface MergeContact {
  email: string
  firstName: string | null
  lastName: string | null
  properties: Record<string, string | number | boolean>
}

/** The contact's value, else the campaign's default, else nothing. */
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
