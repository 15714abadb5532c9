import { useRef, useState } from "react"
import type { Contact, ContactBook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { download } from "../../ui/download.ts"
import { ErrorBox } from "../../ui/error-box.tsx"
import { number } from "../../ui/numbers.ts"
import { spreadsheetLine } from "./csv.ts"

const FIXED = ["email", "first_name", "last_name", "subscribed"]
/** Read text is handed to the browser in pieces, which it may keep on disk. */
const PIECE_CHARACTERS = 1_000_000

/** Reads the book page by page, and makes a file that the import reads again. */
export default function ExportDialog({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const [count, setCount] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const stop = useRef<AbortController>(null)
  const start = async () => {
    const controller = new AbortController()
    stop.current = controller
    setError(null)
    setCount(0)
    try {
      download(`${book.id}.csv`, await exportBook(book.id, setCount, controller.signal))
      onClose()
    } catch (error) {
      if (!controller.signal.aborted) setError(error)
      setCount(null)
    }
  }
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={close}
      title="Export contacts"
      description={`A CSV file with ${number(book.contactCount)} contacts and their properties.`}
    >
      <div className="grid gap-4">
        {count !== null && (
          <p role="status">
            {number(count)} of {number(book.contactCount)} read
          </p>
        )}
        {error !== null && <ErrorBox error={error} retry={start} />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" busy={count !== null} onClick={start}>
            Export as CSV
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Properties become columns as they are met, so rows before may be shorter, which is allowed. */
async function exportBook(bookId: string, onCount: (count: number) => void, signal: AbortSignal) {
  const properties = new Map<string, number>()
  const pieces: Blob[] = []
  let text = ""
  let count = 0
  const flush = () => {
    pieces.push(new Blob([text]))
    text = ""
  }
  for await (const contact of api.contacts.iterate(bookId, { limit: 100 }, { signal })) {
    text += rowOf(contact, properties)
    count++
    if (count % 100 === 0) onCount(count)
    if (text.length > PIECE_CHARACTERS) flush()
  }
  flush()
  return new Blob([spreadsheetLine([...FIXED, ...properties.keys()]), ...pieces], {
    type: "text/csv",
  })
}

function rowOf(contact: Contact, properties: Map<string, number>): string {
  const cells: string[] = []
  for (const [name, value] of Object.entries(contact.properties)) {
    const at = properties.get(name) ?? properties.size
    properties.set(name, at)
    cells[at] = String(value)
  }
  const { email, firstName, lastName, subscribed } = contact
  return spreadsheetLine([
    email,
    firstName ?? "",
    lastName ?? "",
    String(subscribed),
    ...Array.from(cells, (cell) => cell ?? ""),
  ])
}
