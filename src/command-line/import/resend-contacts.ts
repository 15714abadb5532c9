import { DEFAULT_BOOK } from "../../lib/default-book.ts"
import { createBooks, createPropertyFilter, fillBook } from "./contacts.ts"
import { newPart, type Part, type Target } from "./report.ts"
import type { ResendApi } from "./resend-api.ts"

interface TheirContact {
  id: string
  email: string
  first_name?: string | null
  last_name?: string | null
  unsubscribed?: boolean
}

/** All contacts go into one book. The contacts of a segment also go into a book of the segment. */
export async function importContacts(
  resend: ResendApi,
  target: Target,
  { withProperties }: { withProperties: boolean },
): Promise<Part> {
  const part = newPart()
  const books = await createBooks(target)
  const read = createReader(resend, part, withProperties)
  await fillBook(
    { part, target, open: () => books(DEFAULT_BOOK) },
    read(resend.all<TheirContact>("/contacts")),
  )
  const taken = new Set([DEFAULT_BOOK])
  for await (const { id, name } of resend.all<{ id: string; name: string }>("/segments")) {
    const bookName = taken.has(name) ? `${name} (${id.slice(0, 8)})` : name
    taken.add(name)
    const book = await books(bookName).catch(({ message }: Error) => {
      part.failed.push({ what: `The segment ${name}`, why: message })
    })
    if (book === undefined) continue
    const theirs = resend.all<TheirContact>(`/segments/${id}/contacts`)
    await fillBook({ part, target, open: async () => book }, read(theirs))
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

/** Reads the properties of each contact once, since contacts of segments come twice. */
function createReader({ get }: ResendApi, part: Part, withProperties: boolean) {
  const known = new Map<string, Record<string, string>>()
  const filter = createPropertyFilter(part)
  async function propertiesOf(id: string): Promise<Record<string, string>> {
    const read = known.get(id)
    if (read || !withProperties) return read ?? {}
    const reply = await get<{ properties?: Record<string, { value: unknown }> }>(`/contacts/${id}`)
    const values = Object.entries(reply.properties ?? {})
    const properties = filter(Object.fromEntries(values.map(([name, one]) => [name, one.value])))
    known.set(id, properties)
    return properties
  }
  return async function* (contacts: AsyncIterable<TheirContact>) {
    for await (const { id, email, first_name, last_name, unsubscribed } of contacts) {
      yield {
        email,
        firstName: first_name ?? "",
        lastName: last_name ?? "",
        subscribed: !unsubscribed,
        properties: await propertiesOf(id),
      }
    }
  }
}
