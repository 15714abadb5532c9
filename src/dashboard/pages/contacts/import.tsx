import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { ContactBook } from "../../../client/types.ts"
import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ROWS } from "../../../worker/contacts/contract.ts"
import { Link } from "../../app/link.tsx"
import { ManagersOnly } from "../../app/managers-only.tsx"
import { useParam } from "../../app/params.ts"
import { ErrorBox } from "../../ui/error-box.tsx"
import { number } from "../../ui/numbers.ts"
import { Card, Page } from "../../ui/page.tsx"
import { LoadedPage } from "../../ui/waiting.tsx"
import { type CsvFile, readCsv } from "./csv.ts"
import { bookQuery } from "./data.ts"
import { ImportSteps } from "./import-steps.tsx"

const MIB = 1024 * 1024

export default function ImportPage() {
  return (
    <ManagersOnly title="Import contacts">
      <ImportIntoBook />
    </ManagersOnly>
  )
}

function ImportIntoBook() {
  const query = useQuery(bookQuery(useParam("id")))
  return (
    <LoadedPage query={query} title="Import contacts" above={<Link to="/contacts">Contacts</Link>}>
      {(book) => <Import book={book} />}
    </LoadedPage>
  )
}

interface Chosen {
  name: string
  file: CsvFile
}

function Import({ book }: { book: ContactBook }) {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [error, setError] = useState<unknown>(null)
  const choose = async (file: File) => {
    setChosen(null)
    setError(null)
    try {
      setChosen({ name: file.name, file: await read(file) })
    } catch (error) {
      setError(error)
    }
  }
  return (
    <Page
      title="Import contacts"
      above={<Link to={`/contacts/${book.id}`}>{book.name}</Link>}
      about={`A CSV file with a header row, up to ${IMPORT_MAX_CSV_BYTES / MIB} MiB and ${number(IMPORT_MAX_ROWS)} rows. You see a preview before anything is imported.`}
    >
      <Card>
        <label className="grid gap-2">
          <span className="font-medium">File</span>
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            className="max-w-full file:mr-3 file:h-8 file:rounded-md file:border file:border-solid file:border-line file:bg-raised file:px-3 file:font-medium file:text-ink"
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) choose(file)
            }}
          />
          <span className="text-xs text-muted">
            The first row must name the columns, such as email, first name and city. You match them
            in the next step.
          </span>
        </label>
      </Card>
      {error !== null && <ErrorBox error={error} />}
      {chosen && <ImportSteps key={chosen.name} book={book} file={chosen.file} />}
    </Page>
  )
}

async function read(file: File): Promise<CsvFile> {
  if (file.size > 2 * IMPORT_MAX_CSV_BYTES) {
    throw new Error(
      `The file is ${number(Math.ceil(file.size / MIB))} MiB. The limit is ${IMPORT_MAX_CSV_BYTES / MIB} MiB: split it.`,
    )
  }
  const text = await decode(file)
  const csv = readCsv(text)
  if (csv.header.length === 0) throw new Error("The file is empty.")
  if (csv.rows.length === 0) throw new Error("The file has a header, but no rows.")
  if (csv.rows.length > IMPORT_MAX_ROWS) {
    throw new Error(
      `The file has ${number(csv.rows.length)} rows. The limit is ${number(IMPORT_MAX_ROWS)}: split it.`,
    )
  }
  return csv
}

/** Spreadsheets write UTF-8, or the old encoding of Windows. */
async function decode(file: File): Promise<string> {
  const bytes = await file.arrayBuffer()
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder("windows-1252").decode(bytes)
  }
}
