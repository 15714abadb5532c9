import {
  type ConsentColumn,
  createReader,
  findConsentColumns,
  OTHER_VALUES,
} from "../../../lib/consent/columns.ts"
import type { ConsentMeaning } from "../../../lib/consent/meanings.ts"
import {
  KNOWN_COLUMNS,
  type KnownColumn,
  PROPERTY_PREFIX,
  TOPIC_PREFIX,
} from "../../../lib/contact-columns.ts"
import { isId } from "../../../lib/id.ts"
import { nextTurn } from "../../../lib/next-turn.ts"
import { NEVER_TEXT } from "../../../lib/text.ts"
import { invalid } from "../../platform/http/errors.ts"
import { type ColumnMapping, MAX_PROPERTIES, MAX_PROPERTY_NAME_CHARACTERS } from "../shapes.ts"
import type { CsvRow } from "./csv.ts"

/** A property whose column has another name. */
export interface NamedProperty {
  name: string
  type: "string" | "number" | "boolean"
}

/** The positions of a file's columns: known columns by meaning, all others by name. */
export interface Columns {
  count: number
  known: Partial<Record<KnownColumn, number>>
  properties: (NamedProperty & { at: number })[]
  topics: { id: string; at: number }[]
  consent: ReadConsent[]
}

interface ReadConsent extends ConsentColumn {
  /** Nobody has said what the column means. */
  isGuessed: boolean
}

type Mapped = ColumnMapping[string]

/**
 * `mapping` says what columns mean, whatever they are named. With `named`, by columns in lower case, other
 * columns become no properties.
 */
export async function readColumns(
  [header, ...rows]: readonly CsvRow[],
  mapping: ColumnMapping,
  named?: ReadonlyMap<string, NamedProperty>,
): Promise<Columns> {
  const names = header?.cells ?? []
  const mapped = toMapped(names, mapping)
  refuseUnknown(names, [...(named?.keys() ?? [])])
  const columns: Columns = {
    count: names.length,
    known: {},
    properties: [],
    topics: [],
    consent: names.flatMap((name, at) => readMapped(name, at, mapped[at])),
  }
  const seen = new Set<string>()
  for (const [at, name] of names.entries()) {
    const own = named?.get(name.toLowerCase())
    const target = own ? ({ as: "property", ...own } as const) : targetOf(name, mapped[at])
    if (!target || (named && !own && target.as === "property")) continue
    const key = `${target.as} ${target.name.toLowerCase()}`
    if (seen.has(key)) throw invalid(["csv"], `The column '${name}' is repeated`)
    seen.add(key)
    if (target.as === "property") {
      columns.properties.push({ name: target.name, type: own?.type ?? "string", at })
    }
    if (target.as === "topic") columns.topics.push({ id: target.name, at })
    if (target.as === "known") columns.known[target.name as KnownColumn] = at
  }
  if (columns.known.email === undefined) throw invalid(["csv"], missingEmail(header))
  checkProperties(columns)
  const open = names.flatMap((name, at) => {
    const isOpen = !mapped[at] && !named?.has(name.toLowerCase()) && !isPrefixed(name)
    return isOpen && targetOf(name, undefined)?.as === "property" ? [{ name, at }] : []
  })
  let looked = 0
  for (const column of open) {
    columns.consent.push(...guessConsent(column, rows))
    looked += rows.length
    if (looked < VALUES_A_TURN) continue
    await nextTurn()
    looked = 0
  }
  return columns
}

const isPrefixed = (name: string) => name.toLowerCase().startsWith(PROPERTY_PREFIX)

/** What the call says of each column. A key of the mapping that names no column is a mistake. */
function toMapped(names: readonly string[], mapping: ColumnMapping): (Mapped | undefined)[] {
  const wanted = new Map(
    Object.entries(mapping).map(([name, as]) => [name.trim().toLowerCase(), as] as const),
  )
  refuseUnknown(names, [...wanted.keys()])
  return names.map((name) => wanted.get(name.toLowerCase()))
}

function refuseUnknown(names: readonly string[], wanted: readonly string[]): void {
  const known = new Set(names.map((name) => name.toLowerCase()))
  const unknown = wanted.find((name) => !known.has(name))
  if (unknown !== undefined) throw invalid(["columns", unknown], "The file has no such column")
}

function targetOf(name: string, mapped: Mapped | undefined) {
  if (mapped === "skip" || isConsent(mapped)) return undefined
  if (mapped === "email" || mapped === "firstName" || mapped === "lastName") {
    return { as: "known", name: mapped } as const
  }
  const lower = name.toLowerCase()
  const topicId = lower.startsWith(TOPIC_PREFIX) ? name.slice(TOPIC_PREFIX.length) : ""
  if (!mapped && isId("topic", topicId)) return { as: "topic", name: topicId } as const
  if (lower.startsWith(PROPERTY_PREFIX)) {
    return { as: "property", name: name.slice(PROPERTY_PREFIX.length) } as const
  }
  const known = mapped ? undefined : KNOWN_COLUMNS.get(lower)
  return { as: known ? "known" : "property", name: known ?? name } as const
}

const isConsent = (mapped: Mapped | undefined) =>
  mapped === "subscribed" || mapped === "unsubscribed" || typeof mapped === "object"

function readMapped(name: string, at: number, mapped: Mapped | undefined): ReadConsent[] {
  if (!isConsent(mapped)) return []
  const read =
    typeof mapped === "object"
      ? byValues(mapped)
      : createReader(name, mapped === "subscribed" ? "for" : "against")
  return [{ at, name, read, isGuessed: false }]
}

function byValues(meanings: Record<string, ConsentMeaning>): ConsentColumn["read"] {
  const known = new Map(
    Object.entries(meanings).map(([value, meaning]) => [value.trim().toLowerCase(), meaning]),
  )
  return (value) => known.get(value.toLowerCase()) ?? known.get(OTHER_VALUES) ?? null
}

/** Ten thousand values take some ten milliseconds. */
const VALUES_A_TURN = 100_000

const guessConsent = (
  { name, at }: { name: string; at: number },
  rows: readonly CsvRow[],
): ReadConsent[] =>
  findConsentColumns(
    [name],
    rows.map(({ cells }) => [cells[at] ?? ""]),
  ).map((column) => ({ ...column, at, isGuessed: true }))

function missingEmail(header: CsvRow | undefined): string {
  const [only = "", ...more] = header?.cells ?? []
  return more.length === 0 && /[;\t|]/.test(only)
    ? "Columns must be separated by commas"
    : "The header has no column 'email': say in 'columns' which one has the addresses"
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
