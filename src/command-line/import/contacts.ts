import type { ContactBook } from "../../client/index.ts"
import { iterate } from "../../client/pages.ts"
import { chunk, mapLimit } from "../../lib/chunk.ts"
import { PROPERTY_PREFIX } from "../../lib/contact-columns.ts"
import { NEVER_TEXT } from "../../lib/text.ts"
import { toCsv } from "./csv.ts"
import { inGroups } from "./groups.ts"
import type { Part, Target } from "./report.ts"

export interface ImportedContact {
  email: string
  firstName: string
  lastName: string
  subscribed: boolean
  properties: Record<string, string>
}

/** An import may have 10,000 rows, 50 properties, 2 MiB of CSV, and 4 MiB as JSON. */
export const ROWS_A_CALL = 2_000
const PROPERTIES_A_CALL = 50
const CSV_BYTES_A_CALL = 1_900_000
const ERRORS_A_CALL = 100
const MAX_PROPERTY_NAME = 64
const MAX_PROPERTY_VALUE = 2_000

/** Finds books by name, or makes them. A dry run makes none. */
export async function createBooks({ client, isDry }: Target) {
  const byName = new Map<string, ContactBook | null>()
  for await (const book of iterate(client.contactBooks.list, { limit: 100 })) {
    byName.set(book.name, book)
  }
  return async (name: string): Promise<string | null> => {
    const known = byName.get(name)
    if (known !== undefined) return known?.id ?? null
    const made = isDry ? null : await client.contactBooks.create({ name })
    byName.set(name, made)
    return made?.id ?? null
  }
}

/**
 * The properties of a contact as texts. A call is refused for a property that has no good name, or a name that
 * differs only in case, and a contact for a value that is too long.
 */
export function createPropertyFilter({ notes }: Part) {
  const firstSpellings = new Map<string, string>()
  const leftOut = new Set<string>()
  const leaveOut = (name: string, why: string) => {
    const note = `The property ${name} is left out${why}.`
    if (!leftOut.has(note)) notes.push(note)
    leftOut.add(note)
    return false
  }
  const isKept = ([name, value]: [string, string]) => {
    const key = name.trim().toLowerCase()
    if (key === "" || key === "__proto__" || NEVER_TEXT.test(name)) {
      return leaveOut(name, ": its name cannot be that of a property")
    }
    if (name.length > MAX_PROPERTY_NAME) {
      return leaveOut(name, `: its name has over ${MAX_PROPERTY_NAME} characters`)
    }
    const first = firstSpellings.get(key) ?? name
    firstSpellings.set(key, first)
    if (first !== name) return leaveOut(name, `: its name is that of the property ${first}`)
    if (value.length > MAX_PROPERTY_VALUE) {
      return leaveOut(name, ` where its value has over ${MAX_PROPERTY_VALUE} characters`)
    }
    return !NEVER_TEXT.test(value) || leaveOut(name, " where its value has control characters")
  }
  return (properties: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(toTexts(properties)).filter(isKept))
}

/** Values of any shape as the text of a property. Lists and objects stay JSON. */
const toTexts = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === null || value === undefined
        ? []
        : [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]],
    ),
  )

interface Into {
  part: Part
  target: Target
  /** Finds or makes the book, and answers its id: null where a dry run would make it. */
  open: () => Promise<string | null>
}

export async function fillBook(into: Into, contacts: AsyncIterable<ImportedContact>) {
  for await (const some of inGroups(contacts, ROWS_A_CALL)) await storeContacts(into, some)
}

/** Halves the contacts until they fit into one call. */
export async function storeContacts(into: Into, contacts: ImportedContact[]): Promise<void> {
  const { csv, names } = toTable(contacts)
  const isTooLarge = names.length > PROPERTIES_A_CALL || Buffer.byteLength(csv) > CSV_BYTES_A_CALL
  if (isTooLarge && contacts.length > 1) {
    const half = Math.ceil(contacts.length / 2)
    await storeContacts(into, contacts.slice(0, half))
    await storeContacts(into, contacts.slice(half))
    return
  }
  into.part.found += contacts.length
  try {
    await send(into, await into.open(), contacts, csv)
  } catch (error) {
    const why = (error as Error).message
    into.part.failed.push(...contacts.map(({ email }) => ({ what: email, why })))
  }
}

async function send(
  { part, target }: Into,
  bookId: string | null,
  contacts: readonly ImportedContact[],
  csv: string,
): Promise<void> {
  if (bookId === null) {
    part.added += contacts.length
    return
  }
  const { contactBooks } = target.client
  const { imported, skipped, duplicates, errors } = await contactBooks.import(bookId, {
    csv,
    updateExisting: false,
    dryRun: target.isDry,
  })
  const named = errors.length < ERRORS_A_CALL ? errors : await findErrors(target, bookId, contacts)
  const left = target.isDry ? [] : contacts.filter(({ subscribed }) => !subscribed)
  const changed = left.length > 0 ? await withdrawConsent(target, bookId, left) : 0
  part.added += imported
  part.changed += changed
  part.kept += skipped + duplicates - changed
  part.failed.push(
    ...named.map(({ line, email, message }) => ({ what: email ?? `line ${line}`, why: message })),
  )
}

/** An import names its first 100 bad rows, so imports of 100 rows name all of them. */
async function findErrors(
  { client: { contactBooks } }: Target,
  bookId: string,
  contacts: readonly ImportedContact[],
) {
  const found = await mapLimit(chunk(contacts, ERRORS_A_CALL), 1, async (some) => {
    const { csv } = toTable(some)
    const report = await contactBooks.import(bookId, { csv, updateExisting: false, dryRun: true })
    return report.errors
  })
  return found.flat()
}

/** Changes nothing but consent. The report of an import also counts contacts that stay as they are. */
async function withdrawConsent(
  { client: { contactBooks } }: Target,
  bookId: string,
  contacts: readonly ImportedContact[],
): Promise<number> {
  const csv = toCsv([["email", "subscribed"], ...contacts.map(({ email }) => [email, "no"])])
  const before = await contactBooks.get(bookId)
  await contactBooks.import(bookId, { csv, updateExisting: true })
  const after = await contactBooks.get(bookId)
  const changed = before.subscribedCount - after.subscribedCount
  return Math.min(Math.max(changed, 0), contacts.length)
}

function toTable(contacts: readonly ImportedContact[]) {
  const names = [...new Set(contacts.flatMap(({ properties }) => Object.keys(properties)))]
  const head = ["email", "first_name", "last_name", "subscribed"]
  const rows = contacts.map(({ email, firstName, lastName, subscribed, properties }) => [
    ...[email, firstName, lastName, String(subscribed)],
    ...names.map((name) => properties[name] ?? ""),
  ])
  return { names, csv: toCsv([[...head, ...names.map((name) => PROPERTY_PREFIX + name)], ...rows]) }
}
