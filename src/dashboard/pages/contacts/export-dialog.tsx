import { useMemo } from "react"
import type { Contact, ContactBook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import ExportDialog from "../../ui/export-dialog.tsx"
import { number } from "../../ui/numbers.ts"

const FIXED = ["email", "first_name", "last_name", "subscribed"]

/** Makes a file that the import reads again. */
export default function ExportContacts({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const properties = useMemo(() => new Map<string, number>(), [])
  return (
    <ExportDialog
      title="Export contacts"
      description={`A CSV file with ${number(book.contactCount)} contacts and their properties.`}
      filename={`${book.id}.csv`}
      total={book.contactCount}
      read={(signal) => api.contacts.iterate(book.id, { limit: 100 }, { signal })}
      toRow={(contact) => rowOf(contact, properties)}
      header={() => [...FIXED, ...properties.keys()]}
      onClose={onClose}
    />
  )
}

/** Properties become columns as they are met, so rows before may be shorter, which is allowed. */
function rowOf(contact: Contact, properties: Map<string, number>): string[] {
  const cells: string[] = []
  for (const [name, value] of Object.entries(contact.properties)) {
    const at = properties.get(name) ?? properties.size
    properties.set(name, at)
    cells[at] = String(value)
  }
  const { email, firstName, lastName, subscribed } = contact
  return [
    email,
    firstName ?? "",
    lastName ?? "",
    String(subscribed),
    ...Array.from(cells, (cell) => cell ?? ""),
  ]
}
