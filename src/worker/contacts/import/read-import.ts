import { normalizeAddress } from "../../../lib/address.ts"
import type { KnownColumn } from "../../../lib/contact-columns.ts"
import { unquoteFormula } from "../../../lib/formula.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import { CONTROL_CHARACTERS, NEVER_TEXT } from "../../../lib/text.ts"
import { jsonBytes } from "../../platform/http/shapes.ts"
import {
  type ColumnMapping,
  MAX_NAME_CHARACTERS,
  MAX_PROPERTIES_BYTES,
  MAX_PROPERTY_CHARACTERS,
  TOO_LARGE_PROPERTIES,
  type TopicChoices,
} from "../shapes.ts"
import { type CsvRow, readCsv } from "./csv.ts"
import { type Columns, type NamedProperty, readColumns } from "./read-columns.ts"
import {
  ANSWERS,
  NOBODY,
  type RowConsent,
  readConsent,
  readTopics,
  warnOfGuesses,
} from "./row-consent.ts"

export interface ImportedContact {
  line: number
  email: string
  firstName: string | null
  lastName: string | null
  /** As a new contact. */
  subscribed: boolean
  /** The row says no, so that a contact of the book loses its consent. */
  saysNo: boolean
  properties: Record<string, string | number | boolean>
  topics: TopicChoices
}

/** Somebody who may not be mailed at all. */
interface SuppressedAddress {
  email: string
  reason: "bounce" | "complaint"
}

interface ImportError {
  line: number
  email: string | null
  message: string
}

type ReadRow =
  | { ok: true; contact: ImportedContact }
  | { ok: false; error: ImportError }
  | { ok: "skipped" }

interface Meaning {
  columns: ColumnMapping
  /** False: nobody of the file is subscribed. */
  subscribed: boolean
}

/** What only the Resend package can say of a file. */
export interface MoreMeaning {
  /** The columns of properties, in lower case. */
  named?: ReadonlyMap<string, NamedProperty> | undefined
  /** What everybody in the file has chosen. */
  topics?: TopicChoices
}

/** The contacts of the file, the last row of each address. A "no" in any row of an address stands. */
export async function readContacts(
  csv: string,
  meaning: Meaning,
  { named, topics = {} }: MoreMeaning = {},
) {
  const [header, ...rows] = await readCsv(csv)
  const columns = await readColumns(header ? [header, ...rows] : [], meaning.columns, named)
  const stated = Object.keys(topics).filter((id) => !columns.topics.some((one) => one.id === id))
  columns.topics.push(...stated.map((id) => ({ id, at: NO_COLUMN })))
  const byEmail = new Map<string, ImportedContact>()
  const suppressed = new Map<string, SuppressedAddress["reason"]>()
  const errors: ImportError[] = []
  const answers = { no: new Set<string>(), yes: new Set<string>() }
  let skipped = 0
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await nextTurn()
    const consent = meaning.subscribed ? readConsent(columns, row) : NOBODY
    const email = emailOf(columns, row) ?? ""
    if (consent.saysNo) answers.no.add(email)
    else if (consent.subscribed) answers.yes.add(email)
    if (email && consent.suppress && suppressed.get(email) !== "complaint") {
      suppressed.set(email, consent.suppress)
    }
    const read = readRow(columns, row, consent)
    if (read.ok === "skipped") skipped++
    else if (!read.ok) errors.push(read.error)
    else {
      byEmail.delete(read.contact.email)
      byEmail.set(read.contact.email, {
        ...read.contact,
        topics: { ...topics, ...read.contact.topics },
      })
    }
  }
  const duplicates = rows.length - errors.length - skipped - byEmail.size
  const saidNo = [...byEmail.values()].filter(({ email }) => answers.no.has(email))
  for (const contact of saidNo) Object.assign(contact, { subscribed: false, saysNo: true })
  /** Their rows say both yes and no to mail. */
  const contradictory = saidNo
    .filter(({ email }) => answers.yes.has(email))
    .map(({ line, email }) => ({ line, email }))
  return {
    columns,
    imports: [...byEmail.values()],
    suppressed: [...suppressed].map(([email, reason]): SuppressedAddress => ({ email, reason })),
    duplicates,
    skipped,
    contradictory,
    errors,
    warnings: warnOfGuesses(columns, rows),
  }
}

const NO_COLUMN = -1

/** Other calls have their turn between the rows, since 10,000 of 50 properties take half a second. */
const ROWS_A_TURN = 2_500

/** Up to this length properties need no check of their bytes: a character has three at most. */
const FEW_CHARACTERS = MAX_PROPERTIES_BYTES / 4

/** As long as an address with a name may be. */
const MAX_SHOWN_CHARACTERS = 320

const cellOf = ({ known }: Columns, { cells }: CsvRow, column: KnownColumn) =>
  cells[known[column] ?? -1] ?? ""

const emailOf = (columns: Columns, row: CsvRow) =>
  normalizeAddress(unquoteFormula(cellOf(columns, row, "email")))

function readRow(columns: Columns, row: CsvRow, consent: RowConsent): ReadRow {
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
  if (consent.isSkipped) return { ok: "skipped" }
  if (consent.isUnreadable) {
    return refuse("'subscribed' takes true, 1, yes, y, false, 0, no, n or nothing")
  }
  const topics = readTopics(columns, row)
  if (!topics) return refuse("A choice of a topic is true, false or nothing")
  const firstName = unquoteFormula(cell("firstName"))
  const lastName = unquoteFormula(cell("lastName"))
  if (Math.max(firstName.length, lastName.length) > MAX_NAME_CHARACTERS) {
    return refuse(`A name has over ${MAX_NAME_CHARACTERS} characters`)
  }
  if (CONTROL_CHARACTERS.test(firstName + lastName)) {
    return refuse("A name has control characters")
  }
  const properties: ImportedContact["properties"] = {}
  let characters = 0
  for (const { name, type, at } of columns.properties) {
    const value = unquoteFormula(cells[at] ?? "")
    if (!value) continue
    if (value.length > MAX_PROPERTY_CHARACTERS) {
      return refuse(`A property has over ${MAX_PROPERTY_CHARACTERS} characters`)
    }
    if (NEVER_TEXT.test(value)) return refuse("A property has control characters")
    const typed = toType(value, type)
    if (typed === undefined) return refuse(`'${name}' must be a ${type}`)
    properties[name] = typed
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
      subscribed: consent.subscribed,
      saysNo: consent.saysNo,
      properties,
      topics,
    },
  }
}

function toType(value: string, type: NamedProperty["type"]) {
  if (type === "string") return value
  if (type === "boolean") return ANSWERS.get(value.toLowerCase())
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
