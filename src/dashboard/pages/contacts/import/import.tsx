import { useQuery } from "@tanstack/react-query"
import { useBlocker } from "@tanstack/react-router"
import { useEffect, useId, useState } from "react"
import type { ContactBook } from "../../../../client/types.ts"
import {
  IMPORT_MAX_CSV_BYTES,
  IMPORT_MAX_ROWS,
} from "../../../../worker/contacts/import/import-limits.ts"
import { Link } from "../../../app/link.tsx"
import { ManagersOnly } from "../../../app/managers-only.tsx"
import { useParam } from "../../../app/params.ts"
import { buttonClass } from "../../../ui/button.tsx"
import { cx } from "../../../ui/cx.ts"
import { mayLeave } from "../../../ui/dialog/unsaved.ts"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Switch } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { number } from "../../../ui/numbers.ts"
import { Card, Page } from "../../../ui/page.tsx"
import { LoadedPage } from "../../../ui/waiting.tsx"
import { bookQuery } from "../data.ts"
import { ENCODINGS } from "./decode.ts"
import { ImportSteps } from "./import-steps.tsx"
import { type ChosenFile, chooseFile, readAs } from "./read-file.ts"

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

function Import({ book }: { book: ContactBook }) {
  const [chosen, setChosen] = useState<ChosenFile | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isDone, setDone] = useState(false)
  useKeptWork(chosen !== null && !isDone)
  const read = async (next: () => ChosenFile | Promise<ChosenFile>) => {
    setError(null)
    setDone(false)
    try {
      setChosen(await next())
    } catch (error) {
      setError(error)
    }
  }
  return (
    <Page
      title="Import contacts"
      above={<Link to={`/contacts/${book.id}`}>{book.name}</Link>}
      about={`A CSV file, up to ${IMPORT_MAX_CSV_BYTES / MIB} MiB and ${number(IMPORT_MAX_ROWS)} rows. You see a preview before anything is imported.`}
    >
      <Card className="grid gap-4 p-4">
        <FileChoice
          name={chosen?.name}
          onFile={(file) => {
            setChosen(null)
            read(() => chooseFile(file))
          }}
        />
        {chosen && (
          <Reading
            chosen={chosen}
            onChange={({ encoding, isHeaded }) =>
              read(() => readAs(chosen, encoding ?? chosen.encoding, isHeaded))
            }
          />
        )}
      </Card>
      {error !== null && <ErrorBox error={error} />}
      {chosen && (
        <ImportSteps
          key={`${chosen.name} ${chosen.encoding} ${chosen.isHeaded}`}
          book={book}
          file={chosen.file}
          onDone={() => setDone(true)}
        />
      )}
    </Page>
  )
}

/** Asks before another page takes the place of this one. The end of the session leaves it open. */
function useKeptWork(isKept: boolean) {
  useBlocker({
    shouldBlockFn: async () => !(await mayLeave("Leave without importing the file?")),
    enableBeforeUnload: false,
    disabled: !isKept,
  })
  useEffect(() => {
    if (!isKept) return
    // The browser's own event is left alone: a reload needs no question, since the file is still on disk.
    const keep = (event: Event) => !event.isTrusted && event.preventDefault()
    addEventListener("beforeunload", keep)
    return () => removeEventListener("beforeunload", keep)
  }, [isKept])
}

/** How the file is read. A person sees what is wrong and changes it. */
function Reading({
  chosen: { encoding, isEncodingSure, isHeaded, sample },
  onChange,
}: {
  chosen: ChosenFile
  onChange(changes: Partial<Pick<ChosenFile, "encoding" | "isHeaded">>): void
}) {
  const hint = isEncodingSure
    ? undefined
    : `The file does not name its encoding. Choose the one that shows this correctly: ${sample ?? ""}`
  return (
    <div className="grid gap-4">
      <SelectField
        label="Text encoding"
        {...(hint && { hint })}
        className="max-w-80"
        value={encoding}
        onChange={(encoding) => onChange({ encoding })}
        options={ENCODINGS}
      />
      <Switch
        label="First row is a header"
        hint={
          isHeaded
            ? "Switch this off if the first row is a contact."
            : "The first row has an email address, so it is imported as a contact."
        }
        checked={isHeaded}
        onChange={(isHeaded) => onChange({ isHeaded })}
      />
    </div>
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
        Any CSV export works. You choose what each column means in the next step.
      </p>
    </div>
  )
}
