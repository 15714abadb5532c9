import { useQuery } from "@tanstack/react-query"
import { useId, useState } from "react"
import type { ContactBook } from "../../../client/types.ts"
import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ROWS } from "../../../worker/contacts/contract.ts"
import { Link } from "../../app/link.tsx"
import { ManagersOnly } from "../../app/managers-only.tsx"
import { useParam } from "../../app/params.ts"
import { buttonClass } from "../../ui/button.tsx"
import { cx } from "../../ui/cx.ts"
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
        <FileChoice name={chosen?.name} onFile={choose} />
      </Card>
      {error !== null && <ErrorBox error={error} />}
      {chosen && <ImportSteps key={chosen.name} book={book} file={chosen.file} />}
    </Page>
  )
}

function FileChoice({ name, onFile }: { name: string | undefined; onFile(file: File): void }) {
  const hintId = useId()
  return (
    <div className="grid justify-items-start gap-2">
      <div className="flex max-w-full flex-wrap items-center gap-3">
        <label
          className={cx(
            buttonClass(),
            "cursor-pointer focus-within:outline-2 focus-within:outline-focus",
          )}
        >
          {name === undefined ? "Choose file" : "Choose another file"}
          <input
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            aria-describedby={hintId}
            className="sr-only"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file) onFile(file)
              // The same file, changed since, may be chosen again.
              target.value = ""
            }}
          />
        </label>
        {name !== undefined && <span className="min-w-0 wrap-anywhere">{name}</span>}
      </div>
      <p id={hintId} className="text-xs text-muted">
        The first row must name the columns, such as email, first name and city. You match them in
        the next step.
      </p>
    </div>
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
