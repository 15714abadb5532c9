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

const PLACED = new RegExp(`\\{\\{(html|url|text) (unsubscribeUrl|${FIELD})\\}\\}`, "g")

/** Text for one place: what stands around the merge fields is escaped, they themselves are kept. */
function placed(place: Place, text: string, around: (text: string) => string): string {
  return text
    .split(WRITTEN)
    .map((part, index) => (index % 2 === 0 ? around(part) : `{{${place} ${part}}}`))
    .join("")
}

/** For HTML text that is escaped already. */
export const inEscapedHtml = (html: string) => placed("html", html, (same) => same)
export const inHtml = (text: string) => placed("html", text, escapeHtml)
export const inText = (text: string) => placed("text", text, (same) => same)
export const inUrl = (url: string) => placed("url", url, escapeHtml)
export const inTextUrl = (url: string) => placed("url", url, (same) => same)

/** Where the footer's link goes; filled like a merge field that no block can name. */
export const UNSUBSCRIBE_URL = { html: "{{html unsubscribeUrl}}", text: "{{text unsubscribeUrl}}" }

export const withoutFields = (text: string) => text.replace(WRITTEN, "x")
export const indexOfField = (text: string) => text.search(WRITTEN)

/** A placed text as one recipient gets it; what is filled in is not read again. */
export const fill = (template: string, read: (field: string) => string): string =>
  template.replace(PLACED, (_placed, place: Place, field: string) => PLACES[place](read(field)))

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
