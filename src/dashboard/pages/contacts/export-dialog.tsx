import { useMemo } from "react"
import type { Contact, ContactBook } from "../../../client/types.ts"
import { PROPERTY_PREFIX, TOPIC_PREFIX } from "../../../lib/contact-columns.ts"
import { api } from "../../api/api.ts"
import ExportDialog from "../../ui/export/export-dialog.tsx"
import { number } from "../../ui/numbers.ts"

const FIXED = ["email", "first_name", "last_name", "subscribed"]

/** Makes a file that the import reads again. */
export default function ExportContacts({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const columns = useMemo(() => new Map<string, number>(), [])
  return (
    <ExportDialog
      title="Export contacts"
      description={`A CSV file with ${number(book.contactCount)} contacts, their properties and topic choices. You can import it again.`}
      filename={`${book.id}.csv`}
      total={book.contactCount}
      read={(signal) => api.contacts.iterate(book.id, { limit: 100 }, { signal })}
      toRow={(contact) => rowOf(contact, columns)}
      header={() => [...FIXED, ...columns.keys()]}
      onClose={onClose}
    />
  )
}

/** Columns are added as they are met, so rows before may be shorter, which is allowed. */
function rowOf(contact: Contact, columns: Map<string, number>): string[] {
  const { email, firstName, lastName, subscribed, properties, topics } = contact
  const cells: string[] = []
  for (const [prefix, values] of [
    [PROPERTY_PREFIX, properties],
    [TOPIC_PREFIX, topics],
  ] as const) {
    for (const [name, value] of Object.entries(values)) {
      const at = columns.get(prefix + name) ?? columns.size
      columns.set(prefix + name, at)
      cells[at] = String(value)
    }
  }
  return [
    email,
    firstName ?? "",
    lastName ?? "",
    String(subscribed),
    ...Array.from(cells, (cell) => cell ?? ""),
  ]
}
