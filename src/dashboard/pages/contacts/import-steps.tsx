import { useMemo, useState } from "react"
import type { ContactBook, ImportReport } from "../../../client/types.ts"
import { IMPORT_MAX_CSV_BYTES } from "../../../worker/contacts/contract.ts"
import { api } from "../../api/api.ts"
import { AsRequestButton } from "../../ui/as-request.tsx"
import { Button } from "../../ui/button.tsx"
import { ErrorBox } from "../../ui/error-box.tsx"
import { Switch, TextInput } from "../../ui/field.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { Select } from "../../ui/select.tsx"
import { say } from "../../ui/toast.tsx"
import type { CsvFile } from "./csv.ts"
import { refreshContacts } from "./data.ts"
import { Report } from "./import-report.tsx"
import { guess, type Mapped, overlookedConsent, problemOf, rewrite, TARGETS } from "./mapping.ts"

interface Shown {
  report: ImportReport
  dryRun: boolean
}

/** Columns, then a dry count, then the import. A change of the columns asks for a new count. */
export function ImportSteps({ book, file }: { book: ContactBook; file: CsvFile }) {
  const [mapped, setMapped] = useState(() => guess(file))
  const [updateExisting, setUpdateExisting] = useState(true)
  const [shown, setShown] = useState<Shown | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [isConsentAsked, setConsentAsked] = useState(false)
  const overlooked = overlookedConsent(file, mapped)
  const problem =
    problemOf(mapped) ??
    (overlooked.length > 0 && !isConsentAsked ? "Confirm what the consent column means." : null)
  const { csv, originalLine } = useMemo(() => rewrite(file, mapped), [file, mapped])
  const tooLarge = new Blob([csv]).size > IMPORT_MAX_CSV_BYTES
  const isCounted = shown?.dryRun === true

  const change = (next: () => void) => {
    setShown(null)
    setError(null)
    next()
  }
  const run = async (dryRun: boolean) => {
    setBusy(true)
    setError(null)
    try {
      const report = await api.contactBooks.import(book.id, { csv, updateExisting, dryRun })
      const errors = report.errors.map((one) => ({
        ...one,
        line: originalLine.get(one.line) ?? one.line,
      }))
      setShown({ report: { ...report, errors }, dryRun })
      if (dryRun) return
      refreshContacts()
      say("Contacts imported")
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Section title="Columns" about="Choose what each column contains.">
        <Columns
          file={file}
          mapped={mapped}
          onChange={(at, changes) =>
            change(() =>
              setMapped(mapped.map((one, index) => (index === at ? { ...one, ...changes } : one))),
            )
          }
        />
      </Section>
      <Switch
        label="Update existing contacts"
        hint="Only the columns in your file change. People who unsubscribed stay unsubscribed."
        checked={updateExisting}
        onChange={(next) => change(() => setUpdateExisting(next))}
      />
      {overlooked.length > 0 && (
        <Switch
          label={`Import without reading consent from “${overlooked.join("”, “")}”`}
          hint="This column looks like consent. If it contains opt-outs, choose “Subscribed” or “Unsubscribed” for it above."
          checked={isConsentAsked}
          onChange={(next) => change(() => setConsentAsked(next))}
        />
      )}
      {error !== null && <ErrorBox error={error} />}
      {shown && <Report {...shown} book={book} />}
      <div className="flex flex-wrap justify-end gap-2">
        <AsRequestButton
          method="POST"
          path={`/contact-books/${book.id}/contacts/import`}
          json={{ csv: `${csv.slice(0, 200)}…`, updateExisting, dryRun: true }}
          library={`await edgepost.contactBooks.import("${book.id}", { csv, updateExisting: ${updateExisting}, dryRun: true })`}
        />
        {shown?.dryRun === false ? null : isCounted ? (
          <Button kind="primary" busy={busy} onClick={() => run(false)}>
            Import contacts
          </Button>
        ) : (
          <Button
            kind="primary"
            busy={busy}
            disabledBecause={problem ?? (tooLarge && "The file is over 2 MiB: skip some columns")}
            onClick={() => run(true)}
          >
            Preview import
          </Button>
        )}
      </div>
      {problem && (
        <p role="alert" className="text-right text-failed">
          {problem}
        </p>
      )}
    </>
  )
}

const EXAMPLES = 3

function Columns({
  file,
  mapped,
  onChange,
}: {
  file: CsvFile
  mapped: readonly Mapped[]
  onChange(at: number, changes: Partial<Mapped>): void
}) {
  return (
    <Card className="p-0">
      <ul>
        {mapped.map(({ target, name }, at) => {
          const head = file.header[at] || `Column ${at + 1}`
          const examples = file.rows.slice(0, EXAMPLES).map(({ cells }) => cells[at] ?? "")
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
              key={at}
              className="grid gap-2 border-b p-3 last:border-b-0 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_144px_minmax(0,2fr)] sm:items-center"
            >
              <span className="font-medium wrap-anywhere">{head}</span>
              <span className="truncate text-muted">{examples.filter(Boolean).join(", ")}</span>
              <Select
                aria-label={`${head} becomes`}
                value={target}
                onChange={(target) => onChange(at, { target })}
                options={TARGETS}
              />
              {target === "property" ? (
                <TextInput
                  aria-label={`Name of the property for ${head}`}
                  className="font-mono text-xs"
                  value={name}
                  onChange={(event) => onChange(at, { name: event.target.value })}
                />
              ) : (
                <span />
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
