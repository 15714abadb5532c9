import type { ContactBook } from "../../client/index.ts"
import { iterate } from "../../client/pages.ts"
import { PROPERTY_PREFIX } from "../../lib/contact-columns.ts"
import { DEFAULT_BOOK } from "../../lib/default-book.ts"
import { inGroups } from "./groups.ts"
import type { Target } from "./import-resend.ts"
import { newPart, type Part } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"

interface TheirContact {
  id: string
  email: string
  first_name?: string | null
  last_name?: string | null
  unsubscribed?: boolean
}

type Properties = Record<string, { value: string | number }>

/** An import may have 10,000 rows, 50 properties, 2 MiB of CSV, and 4 MiB as JSON. */
const ROWS_A_CALL = 2_000
const PROPERTIES_A_CALL = 50
const CSV_BYTES_A_CALL = 1_900_000

/** All contacts go into one book. The contacts of a segment also go into a book of the segment. */
export async function importContacts(
  resend: ResendApi,
  target: Target,
  { withProperties }: { withProperties: boolean },
): Promise<Part> {
  const part = newPart()
  const books = await createBooks(target)
  const into = { part, target, properties: new Map<string, Properties>() }
  const withoutClashes = leaveOutClashes(part)
  const read = async ({ id }: TheirContact) => {
    const reply = await resend.get<{ properties?: Properties }>(`/contacts/${id}`)
    into.properties.set(id, withoutClashes(reply.properties ?? {}))
  }
  await fill(
    into,
    () => books(DEFAULT_BOOK),
    resend.all<TheirContact>("/contacts"),
    withProperties ? read : undefined,
  )
  const taken = new Set([DEFAULT_BOOK])
  for await (const { id, name } of resend.all<{ id: string; name: string }>("/segments")) {
    const bookName = taken.has(name) ? `${name} (${id.slice(0, 8)})` : name
    taken.add(name)
    const book = await books(bookName).catch(({ message }: Error) => {
      part.failed.push({ what: `The segment ${name}`, why: message })
    })
    if (book === undefined) continue
    await fill(into, async () => book, resend.all<TheirContact>(`/segments/${id}/contacts`))
    part.notes.push(`The segment ${name} is the contact book ${bookName}.`)
  }
  if (target.isDry) {
    part.notes.push("A dry run does not count the contacts here that would lose their consent.")
  }
  if (!withProperties && part.found > 0) {
    part.notes.push(
      "Resend's lists have no properties of contacts: --properties reads each contact alone, which takes half a second a contact.",
    )
  }
  return part
}

/** A call is refused if the names of properties differ only in case. */
function leaveOutClashes({ notes }: Part): (properties: Properties) => Properties {
  const firstSpellings = new Map<string, string>()
  const leftOut = new Set<string>()
  const isKept = (name: string) => {
    const key = name.trim().toLowerCase()
    const first = firstSpellings.get(key) ?? name
    firstSpellings.set(key, first)
    if (first !== name && !leftOut.has(name)) {
      notes.push(`The property ${name} is left out: its name is that of the property ${first}.`)
      leftOut.add(name)
    }
    return first === name
  }
  return (properties) =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name)))
}

async function createBooks({ client, isDry }: Target) {
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

interface Into {
  part: Part
  target: Target
  properties: Map<string, Properties>
}

async function fill(
  into: Into,
  open: () => Promise<string | null>,
  contacts: AsyncIterable<TheirContact>,
  read?: (contact: TheirContact) => Promise<void>,
): Promise<void> {
  for await (const some of inGroups(contacts, ROWS_A_CALL)) {
    if (read) for (const contact of some) await read(contact)
    await sendInParts(into, open, some)
  }
}

/** Halves the contacts until they fit into one call. */
async function sendInParts(
  into: Into,
  open: () => Promise<string | null>,
  contacts: TheirContact[],
): Promise<void> {
  const { csv, names } = toCsv(contacts, into.properties)
  const isTooLarge = names.length > PROPERTIES_A_CALL || Buffer.byteLength(csv) > CSV_BYTES_A_CALL
  if (isTooLarge && contacts.length > 1) {
    const half = Math.ceil(contacts.length / 2)
    await sendInParts(into, open, contacts.slice(0, half))
    await sendInParts(into, open, contacts.slice(half))
    return
  }
  into.part.found += contacts.length
  try {
    await send(into, await open(), contacts, csv)
  } catch (error) {
    const why = (error as Error).message
    into.part.failed.push(...contacts.map(({ email }) => ({ what: email, why })))
  }
}

async function send(
  { part, target }: Into,
  bookId: string | null,
  contacts: TheirContact[],
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
  const left = target.isDry ? [] : contacts.filter(({ unsubscribed }) => unsubscribed)
  const changed = left.length > 0 ? await withdrawConsent(target, bookId, left) : 0
  part.added += imported
  part.changed += changed
  part.kept += skipped + duplicates - changed
  part.failed.push(
    ...errors.map(({ line, email, message }) => ({ what: email ?? `line ${line}`, why: message })),
  )
}

/** Changes nothing but consent. The report of an import also counts contacts that stay as they are. */
async function withdrawConsent(
  { client: { contactBooks } }: Target,
  bookId: string,
  contacts: readonly TheirContact[],
): Promise<number> {
  const csv = ["email,subscribed", ...contacts.map(({ email }) => `${quoted(email)},no`)].join("\n")
  const before = await contactBooks.get(bookId)
  await contactBooks.import(bookId, { csv, updateExisting: true })
  const after = await contactBooks.get(bookId)
  const changed = before.subscribedCount - after.subscribedCount
  return Math.min(Math.max(changed, 0), contacts.length)
}

function toCsv(contacts: readonly TheirContact[], read: Into["properties"]) {
  const valuesOf = ({ id }: TheirContact) => read.get(id) ?? {}
  const names = [...new Set(contacts.flatMap((contact) => Object.keys(valuesOf(contact))))]
  const properties = names.map((name) => PROPERTY_PREFIX + name)
  const head = ["email", "first_name", "last_name", "subscribed", ...properties]
  const rows = contacts.map((contact) => [
    contact.email,
    contact.first_name ?? "",
    contact.last_name ?? "",
    String(!contact.unsubscribed),
    ...names.map((name) => String(valuesOf(contact)[name]?.value ?? "")),
  ])
  return { names, csv: [head, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n") }
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
