import { KNOWN_COLUMNS, type KnownColumn } from "../../../worker/contacts/known-columns.ts"
import { csvLine } from "../../ui/csv-line.ts"
import type { CsvFile } from "./csv.ts"

/** What a column of the file becomes. */
export type Target = KnownColumn | "unsubscribed" | "property" | "ignore"

export const TARGETS: readonly (readonly [Target, string])[] = [
  ["email", "Address"],
  ["firstName", "First name"],
  ["lastName", "Last name"],
  ["subscribed", "Subscribed"],
  ["unsubscribed", "Unsubscribed"],
  ["property", "Property"],
  ["ignore", "Skip"],
]

export interface Mapped {
  target: Target
  /** The property's name. */
  name: string
}

/** With spaces for hyphens and underlines. */
const SPELLINGS: Record<string, Target> = {
  mail: "email",
  "email address": "email",
  "e mail address": "email",
  first: "firstName",
  "first name": "firstName",
  "given name": "firstName",
  forename: "firstName",
  last: "lastName",
  "last name": "lastName",
  surname: "lastName",
  "family name": "lastName",
  optin: "subscribed",
  "opt in": "subscribed",
  "opted in": "subscribed",
  consent: "subscribed",
  "accepts marketing": "subscribed",
  "accepts email marketing": "subscribed",
  newsletter: "subscribed",
  abonniert: "subscribed",
  einwilligung: "subscribed",
  abonné: "subscribed",
  inscrit: "subscribed",
  consentement: "subscribed",
  suscrito: "subscribed",
  consentimiento: "subscribed",
  unsubscribed: "unsubscribed",
  unsubscribe: "unsubscribed",
  optout: "unsubscribed",
  "opt out": "unsubscribed",
  "opted out": "unsubscribed",
  "do not email": "unsubscribed",
  "do not mail": "unsubscribed",
  abgemeldet: "unsubscribed",
  abbestellt: "unsubscribed",
  désabonné: "unsubscribed",
  désinscrit: "unsubscribed",
  "dado de baja": "unsubscribed",
  baja: "unsubscribed",
}

const plainName = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const readName = (name: string): Target | undefined =>
  KNOWN_COLUMNS.get(name.toLowerCase()) ?? SPELLINGS[plainName(name)]

/** Parts of words that name consent, in English, German, French and Spanish. */
const ABOUT_CONSENT =
  /subscri|unsub|opt(ed)?.?(in|out)|consent|newsletter|marketing|mailing|permission|abonn|abgemeld|abbestell|einwillig|zustimm|werbung|désinscri|inscri|publici[td]|suscri|\bbaja\b/i

/** Parts of words that turn consent into its opposite. */
const AGAINST_CONSENT =
  /unsub|opt(ed)?.?out|abgemeld|abbestell|widerruf|widersp|désabonn|désinscri|refus|withdr|revok|rechaz|\bbaja\b|(^|\P{L})(no|not|don'?t|kein\p{L}*|nicht|pas)(?!\p{L})/iu

const words = (text: string) => new Set(text.split(" "))
const YES_OR_NO = words("true false 1 0 yes no y n ja nein oui non si sí")
const CONSENT_WORDS = words(
  "subscribed unsubscribed opted-in opted-out optin optout abonniert abgemeldet abonné désabonné inscrit désinscrit suscrito baja",
)
const VALUES_LOOKED_AT = 1_000

function answersAre(values: readonly string[], known: ReadonlySet<string>): boolean {
  const given = values
    .slice(0, VALUES_LOOKED_AT)
    .flatMap((value) => value.trim().toLowerCase() || [])
  return given.length > 0 && given.every((value) => known.has(value))
}

/** What a column says of consent, by its values, or by a name that asks. */
function readConsent({ header, rows }: CsvFile, at: number): Target | undefined {
  const name = header[at] ?? ""
  const values = rows.map(({ cells }) => cells[at] ?? "")
  if (answersAre(values, CONSENT_WORDS)) return "subscribed"
  if (!ABOUT_CONSENT.test(name)) return undefined
  const isQuestion = readName(name) !== undefined || name.trim().endsWith("?")
  if (!isQuestion && !answersAre(values, YES_OR_NO)) return undefined
  return AGAINST_CONSENT.test(name) ? "unsubscribed" : "subscribed"
}

/** The columns that look like consent, by name or by values, and are mapped to something else. */
export const overlookedConsent = (file: CsvFile, mapped: readonly Mapped[]): string[] =>
  file.header.filter((_name, at) => {
    const target = mapped[at]?.target
    return (target === "property" || target === "ignore") && readConsent(file, at) !== undefined
  })

/** The field of a contact that a target fills. */
const fieldOf = (target: Target): Target => (target === "unsubscribed" ? "subscribed" : target)

/**
 * A guess by the columns' names; each field of a contact is filled by one column. A column that only
 * looks like consent fills it where no column has its name.
 */
export function guess(file: CsvFile): Mapped[] {
  const targets = file.header.map(readName)
  const hasConsent = targets.some((known) => known && fieldOf(known) === "subscribed")
  const taken = new Set<Target>()
  return file.header.map((name, at) => {
    const known = targets[at] ?? (hasConsent ? undefined : readConsent(file, at))
    const isFree = known && !taken.has(fieldOf(known))
    const target: Target = name === "" ? "ignore" : isFree ? known : "property"
    taken.add(fieldOf(target))
    return { target, name: targets[at] && target === "property" ? `${name} 2` : name }
  })
}

/** What keeps the file from being imported, or null. */
export function problemOf(mapped: readonly Mapped[]): string | null {
  const fields = mapped.map(({ target }) => fieldOf(target))
  if (!fields.includes("email")) return "Choose the column with the email address."
  const twice = TARGETS.slice(0, 4).find(
    ([target]) => fields.indexOf(target) !== fields.lastIndexOf(target),
  )
  if (twice) return `Two columns are set to “${twice[1]}”.`
  const names = mapped.filter(({ target }) => target === "property").map(({ name }) => name)
  if (names.some((name) => name.trim() === "")) return "Enter a name for each property."
  const known = names.find((name) => KNOWN_COLUMNS.has(name.trim().toLowerCase()))
  if (known) return `“${known}” cannot be used as a property name.`
  const lower = names.map((name) => name.trim().toLowerCase())
  return new Set(lower).size < lower.length ? "Two properties have the same name." : null
}

const HEADERS: Record<Exclude<Target, "property" | "ignore">, string> = {
  email: "email",
  firstName: "first_name",
  lastName: "last_name",
  subscribed: "subscribed",
  unsubscribed: "subscribed",
}

const OPPOSITES: Record<string, string> = {
  ...{ true: "false", 1: "0", yes: "no", y: "n" },
  ...{ false: "true", 0: "1", no: "yes", n: "y" },
}

/** Words of other languages as the API takes them. */
const WORDS: Record<string, string> = {
  ...{ ja: "yes", oui: "yes", si: "yes", sí: "yes", subscribed: "yes", "opted-in": "yes" },
  ...{ abonniert: "yes", abonné: "yes", inscrit: "yes", suscrito: "yes", optin: "yes" },
  ...{ nein: "no", non: "no", unsubscribed: "no", "opted-out": "no", optout: "no" },
  ...{ abgemeldet: "no", désabonné: "no", désinscrit: "no", baja: "no" },
}

/** An unknown word stays, so that the API reports its row. */
function writeCell(cell: string, target: Target | undefined): string {
  if (target !== "unsubscribed" && target !== "subscribed") return cell
  const word = WORDS[cell.toLowerCase()] ?? cell
  return target === "unsubscribed" ? (OPPOSITES[word.toLowerCase()] ?? word) : word
}

/** The file as the API reads it, and the line of the original for each of its lines. */
export function rewrite({ header, rows }: CsvFile, mapped: readonly Mapped[]) {
  const kept = mapped.flatMap(({ target }, at) => (target === "ignore" ? [] : at))
  const names = kept.map((at) => {
    const { target, name } = mapped[at] as Mapped
    return target === "property" || target === "ignore" ? name.trim() : HEADERS[target]
  })
  const lines = [csvLine(names)]
  const originalLine = new Map<number, number>()
  let line = 2
  for (const row of rows) {
    // Cells without a head stay, so that the API reports such a row.
    const beyond = row.cells.slice(header.length)
    const text = csvLine([
      ...kept.map((at) => writeCell(row.cells[at] ?? "", mapped[at]?.target)),
      ...beyond,
    ])
    originalLine.set(line, row.line)
    line += text.split("\n").length - 1
    lines.push(text)
  }
  return { csv: lines.join(""), originalLine }
}
