import { normalizeAddress } from "../../lib/address.ts"
import { CONTROL_CHARACTERS, NEVER_TEXT } from "../../lib/text.ts"
import { ApiError, invalid } from "../platform/http/errors.ts"
import { jsonBytes } from "../platform/http/shapes.ts"
import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ROWS } from "./contract.ts"
import { type CsvRow, readCsv } from "./csv.ts"
import { KNOWN_COLUMNS, type KnownColumn } from "./known-columns.ts"
import {
  MAX_NAME_CHARACTERS,
  MAX_PROPERTIES,
  MAX_PROPERTIES_BYTES,
  MAX_PROPERTY_CHARACTERS,
  MAX_PROPERTY_NAME_CHARACTERS,
  TOO_LARGE_PROPERTIES,
} from "./shapes.ts"

/** The positions of a file's columns: known columns by meaning, all others by name. */
export interface Columns {
  count: number
  known: Partial<Record<KnownColumn, number>>
  properties: { name: string; at: number }[]
}

export interface ImportedContact {
  line: number
  email: string
  firstName: string | null
  lastName: string | null
  subscribed: boolean
  properties: Record<string, string>
}

interface ImportError {
  line: number
  email: string | null
  message: string
}

type ReadRow = { ok: true; contact: ImportedContact } | { ok: false; error: ImportError }

/** The contacts of the file, the last row of each address. A "no" in any row of an address stands. */
export async function readContacts(csv: string) {
  if (Buffer.byteLength(csv) > IMPORT_MAX_CSV_BYTES) {
    throw new ApiError(
      "payload_too_large",
      `The CSV may have at most ${IMPORT_MAX_CSV_BYTES} bytes.`,
    )
  }
  // Bytes that are not UTF-8 arrive as U+FFFD, and UTF-16 has zeros.
  const isUtf8 = csv.isWellFormed() && !csv.includes("\u0000") && !csv.includes("\uFFFD")
  if (!isUtf8) throw invalid(["csv"], "Must be UTF-8")
  const [header, ...rows] = await readCsv(csv, IMPORT_MAX_ROWS)
  const columns = readHeader(header)
  const byEmail = new Map<string, ImportedContact>()
  const errors: ImportError[] = []
  const answers = { no: new Set<string>(), yes: new Set<string>() }
  for (const row of rows) {
    answers[saysNo(columns, row) ? "no" : "yes"].add(emailOf(columns, row) ?? "")
    const read = readRow(columns, row)
    if (!read.ok) errors.push(read.error)
    else {
      byEmail.delete(read.contact.email)
      byEmail.set(read.contact.email, read.contact)
    }
  }
  const duplicates = rows.length - errors.length - byEmail.size
  const saidNo = [...byEmail.values()].filter(({ email }) => answers.no.has(email))
  for (const contact of saidNo) contact.subscribed = false
  /** Their rows say both yes and no to mail. */
  const contradictory = saidNo
    .filter(({ email }) => answers.yes.has(email))
    .map(({ line, email }) => ({ line, email }))
  return { columns, imports: [...byEmail.values()], duplicates, contradictory, errors }
}

function readHeader(header: CsvRow | undefined): Columns {
  const columns: Columns = { count: header?.cells.length ?? 0, known: {}, properties: [] }
  const seen = new Set<string>()
  for (const [at, name] of (header?.cells ?? []).entries()) {
    const known = KNOWN_COLUMNS.get(name.toLowerCase())
    const meaning = known ?? `property ${name.toLowerCase()}`
    if (seen.has(meaning)) throw invalid(["csv"], `The column '${name}' is repeated`)
    seen.add(meaning)
    if (known) columns.known[known] = at
    else columns.properties.push({ name, at })
  }
  if (columns.known.email === undefined) throw invalid(["csv"], missingEmail(header))
  checkProperties(columns)
  return columns
}

function missingEmail(header: CsvRow | undefined): string {
  const [only = "", ...more] = header?.cells ?? []
  return more.length === 0 && /[;\t|]/.test(only)
    ? "Columns must be separated by commas"
    : "The header has no column 'email'"
}

function checkProperties({ properties }: Columns): void {
  if (properties.length > MAX_PROPERTIES) {
    throw invalid(["csv"], `At most ${MAX_PROPERTIES} columns of properties`)
  }
  for (const { name } of properties) {
    if (name === "") throw invalid(["csv"], "A column has no name")
    if (name === "__proto__" || NEVER_TEXT.test(name)) {
      throw invalid(["csv"], `A column may not be named ${JSON.stringify(name)}`)
    }
    if (name.length > MAX_PROPERTY_NAME_CHARACTERS) {
      throw invalid(["csv"], `A column's name has over ${MAX_PROPERTY_NAME_CHARACTERS} characters`)
    }
  }
}

/** Up to this length properties need no check of their bytes: a character has three at most. */
const FEW_CHARACTERS = MAX_PROPERTIES_BYTES / 4

/** As long as an address with a name may be. */
const MAX_SHOWN_CHARACTERS = 320

const CONSENT = new Map<string, boolean>([
  ...["true", "1", "yes", "y", ""].map((text) => [text, true] as const),
  ...["false", "0", "no", "n"].map((text) => [text, false] as const),
])

const cellOf = ({ known }: Columns, { cells }: CsvRow, column: KnownColumn) =>
  cells[known[column] ?? -1] ?? ""

const emailOf = (columns: Columns, row: CsvRow) => normalizeAddress(cellOf(columns, row, "email"))

/** Also in a row that is left out for another reason. */
const saysNo = (columns: Columns, row: CsvRow) =>
  CONSENT.get(cellOf(columns, row, "subscribed").toLowerCase()) === false

function readRow(columns: Columns, row: CsvRow): ReadRow {
  const { line, cells } = row
  const cell = (column: KnownColumn) => cellOf(columns, row, column)
  const refuse = (message: string): ReadRow => ({
    ok: false,
    error: { line, email: cell("email").slice(0, MAX_SHOWN_CHARACTERS) || null, message },
  })

  if (cells.length > columns.count) {
    return refuse(`${cells.length} cells under a header of ${columns.count}`)
  }
  const email = emailOf(columns, row)
  if (!email) return refuse(cell("email") ? "Not an email address" : "No email address")
  const subscribed = CONSENT.get(cell("subscribed").toLowerCase())
  if (subscribed === undefined) {
    return refuse("'subscribed' takes true, 1, yes, y, false, 0, no, n or nothing")
  }
  const [firstName, lastName] = [cell("firstName"), cell("lastName")]
  if (Math.max(firstName.length, lastName.length) > MAX_NAME_CHARACTERS) {
    return refuse(`A name has over ${MAX_NAME_CHARACTERS} characters`)
  }
  if (CONTROL_CHARACTERS.test(firstName + lastName)) {
    return refuse("A name has control characters")
  }
  const properties: Record<string, string> = {}
  let characters = 0
  for (const { name, at } of columns.properties) {
    const value = cells[at]
    if (!value) continue
    if (value.length > MAX_PROPERTY_CHARACTERS) {
      return refuse(`A property has over ${MAX_PROPERTY_CHARACTERS} characters`)
    }
    if (NEVER_TEXT.test(value)) return refuse("A property has control characters")
    properties[name] = value
    characters += name.length + value.length
  }
  if (characters > FEW_CHARACTERS && jsonBytes(properties) > MAX_PROPERTIES_BYTES) {
    return refuse(TOO_LARGE_PROPERTIES)
  }
  return {
    ok: true,
    contact: {
      line,
      email,
      firstName: firstName || null,
      lastName: lastName || null,
      subscribed,
      properties,
    },
  }
}
