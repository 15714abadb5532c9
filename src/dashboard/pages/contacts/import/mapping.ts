import {
  type ConsentValue,
  createReader,
  findConsentColumns,
  kindOf,
  valuesOf,
} from "../../../../lib/consent/columns.ts"
import type { ConsentMeaning } from "../../../../lib/consent/meanings.ts"
import { toPlain } from "../../../../lib/consent/words.ts"
import { PROPERTY_PREFIX, TOPIC_PREFIX } from "../../../../lib/contact-columns.ts"
import {
  type ColumnMapping,
  MAX_PROPERTIES,
  MAX_PROPERTY_NAME_CHARACTERS,
} from "../../../../worker/contacts/shapes.ts"
import { csvLine } from "../../../ui/export/csv-line.ts"
import { type NameField, nameFieldOf, splitName } from "../names.ts"
import { type CsvFile, isAddress } from "./csv.ts"

/** What a column of the file becomes. */
export type Target =
  | "email"
  | NameField
  | "consent"
  | "property"
  | "ignore"
  /** Choices of the topic with this id, as an export writes them. */
  | `${typeof TOPIC_PREFIX}${string}`

export const TARGETS: readonly (readonly [Target, string])[] = [
  ["email", "Address"],
  ["firstName", "First name"],
  ["lastName", "Last name"],
  ["fullName", "Full name"],
  ["consent", "Consent"],
  ["property", "Property"],
  ["ignore", "Skip"],
]

export const topicTarget = (id: string) => `${TOPIC_PREFIX}${id}` as const

export interface Mapped {
  target: Target
  /** The property's name. */
  name: string
  /** What the values of a column of consent mean. */
  values?: readonly ConsentValue[] | undefined
}

const ADDRESS_NAMES = new Set(
  "email,e mail,mail,email address,e mail address,mail address,emailaddress,primary email,subscriber,e mail adresse,email adresse,mailadresse,adresse mail,adresse e mail,adresse email,courriel,correo,correo electrónico,correo electronico,email id,e post,epost,sähköposti,e posta,eposta,почта,электронная почта,емейл,メールアドレス,メール,邮箱,电子邮件,이메일,posta elettronica,indirizzo email,endereço de email,adres e mail,e mailadres,emailadres".split(
    ",",
  ),
)

const cellsOf = ({ rows }: CsvFile, at: number) => rows.map(({ cells }) => cells[at] ?? "")

/** The column with the addresses: by its name, if it has some, else the one with the most. */
function addressColumn(file: CsvFile): number {
  const counts = file.header.map((_, at) => cellsOf(file, at).filter(isAddress).length)
  const isNamed = (name: string) => ADDRESS_NAMES.has(toPlain(name))
  const named = file.header.findIndex(
    (name, at) => isNamed(name) && (counts[at] || file.rows.length === 0),
  )
  if (named !== -1) return named
  const most = Math.max(0, ...counts)
  return most > 0 ? counts.indexOf(most) : file.header.findIndex(isNamed)
}

const isTopic = (name: string) => name.toLowerCase().startsWith(`${TOPIC_PREFIX}top_`)
const isProperty = (name: string) => name.toLowerCase().startsWith(PROPERTY_PREFIX)

/** A guess by the columns' names and values; each field of a contact is filled by one column. */
export function guess(file: CsvFile): Mapped[] {
  const emailAt = addressColumn(file)
  const isOpen = (name: string, at: number) => at !== emailAt && !isTopic(name) && !isProperty(name)
  const open = file.header.map((name, at) => (isOpen(name, at) ? name : ""))
  const consent = new Map(
    findConsentColumns(
      open,
      file.rows.map(({ cells }) => open.map((name, at) => (name ? (cells[at] ?? "") : ""))),
    ).map((column) => [column.at, column]),
  )
  const used = new Set<string>()
  return file.header.map((header, at): Mapped => {
    const name = propertyName(header, at)
    const cells = cellsOf(file, at)
    if (at === emailAt) return { target: "email", name }
    if (isTopic(header)) return { target: topicTarget(header.slice(TOPIC_PREFIX.length)), name }
    const isEmpty = file.rows.length > 0 && cells.every((cell) => cell === "")
    if (isEmpty) return { target: "ignore", name }
    const column = consent.get(at)
    if (column) return { target: "consent", name, values: valuesOf(column.read, cells) }
    const field = open[at] ? nameFieldOf(header, file.header) : undefined
    if (field && !used.has(field)) {
      used.add(field)
      return { target: field, name }
    }
    return { target: "property", name: unused(name, used) }
  })
}

const propertyName = (header: string, at: number) =>
  (isProperty(header) ? header.slice(PROPERTY_PREFIX.length) : header || `Column ${at + 1}`).slice(
    0,
    MAX_PROPERTY_NAME_CHARACTERS,
  )

function unused(name: string, used: Set<string>): string {
  const keyOf = (text: string) => `property ${text.toLowerCase()}`
  let free = name
  for (let number = 2; used.has(keyOf(free)); number++) free = `${name} ${number}`
  used.add(keyOf(free))
  return free
}

/** The values of a column that a person takes for consent. */
export function consentValues(file: CsvFile, at: number): readonly ConsentValue[] {
  const name = file.header[at] ?? ""
  const cells = cellsOf(file, at)
  return valuesOf(createReader(name, kindOf(name, cells) ?? "status"), cells)
}

/** For a file that says the same of everybody. */
export const withoutConsent = (mapped: readonly Mapped[]): Mapped[] =>
  mapped.map((one) => (one.target === "consent" ? { target: "ignore", name: one.name } : one))

/** What keeps the file from being imported, or null. */
export function problemOf(file: CsvFile, mapped: readonly Mapped[]): string | null {
  const targets = mapped.map(({ target }) => target)
  if (!targets.includes("email")) return "Choose the column with the email address."
  const twice = TARGETS.slice(0, 4).find(
    ([target]) => targets.indexOf(target) !== targets.lastIndexOf(target),
  )
  if (twice) return `Two columns are set to “${twice[1]}”.`
  const names = mapped.filter(({ target }) => target === "property").map(({ name }) => name.trim())
  if (names.includes("")) return "Enter a name for each property."
  if (names.length > MAX_PROPERTIES) {
    return `A contact has at most ${MAX_PROPERTIES} properties. Skip ${names.length - MAX_PROPERTIES} of the columns.`
  }
  const lower = names.map((name) => name.toLowerCase())
  if (new Set(lower).size < lower.length) return "Two properties have the same name."
  const open = mapped.findIndex(({ values }) => values?.some(({ meaning }) => meaning === null))
  if (open === -1) return null
  return `Choose what each value of “${file.header[open] || `Column ${open + 1}`}” means.`
}

const HEADERS: Partial<Record<Target, string>> = {
  email: "email",
  firstName: "first_name",
  lastName: "last_name",
}

/** The file as the API reads it, what its columns of consent mean, and the original line of each line. */
export function rewrite({ header, rows }: CsvFile, mapped: readonly Mapped[]) {
  const kept = mapped.flatMap((one, at) => (one.target === "ignore" ? [] : [{ ...one, at }]))
  const columns: ColumnMapping = {}
  const names = kept.flatMap(({ target, name, values = [], at }) => {
    if (target === "fullName") return ["first_name", "last_name"]
    if (isTopic(target)) return target
    if (target !== "consent") return HEADERS[target] ?? PROPERTY_PREFIX + name.trim()
    const consent = `consent ${at + 1}`
    columns[consent] = Object.fromEntries(
      values.map(({ value, meaning }) => [value, meaning ?? "unsubscribed"]),
    ) as Record<string, ConsentMeaning>
    return consent
  })
  const lines = [csvLine(names)]
  const originalLine = new Map<number, number>()
  let line = 2
  for (const row of rows) {
    // Cells without a head stay, so that the API reports such a row.
    const beyond = row.cells.slice(header.length)
    const text = csvLine([
      ...kept.flatMap(({ target, at }) => {
        const cell = row.cells[at] ?? ""
        return target === "fullName" ? splitName(cell) : cell
      }),
      ...beyond,
    ])
    originalLine.set(line, row.line)
    line += text.split("\n").length - 1
    lines.push(text)
  }
  return { csv: lines.join(""), columns, originalLine }
}
