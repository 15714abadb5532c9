import { useMemo, useState } from "react"
import type { ContactBook, ImportReport } from "../../../../client/types.ts"
import { IMPORT_MAX_CSV_BYTES } from "../../../../worker/contacts/import/import-limits.ts"
import type { SuppressionReason } from "../../../../worker/suppressions/contract.ts"
import { api } from "../../../api/api.ts"
import { refresh } from "../../../api/queries.ts"
import { Button } from "../../../ui/button.tsx"
import { ErrorBox } from "../../../ui/form/error-box.tsx"
import { Switch } from "../../../ui/form/field.tsx"
import { SelectField } from "../../../ui/menu/select.tsx"
import { Section } from "../../../ui/page.tsx"
import { AsRequestButton } from "../../../ui/request/as-request.tsx"
import { say } from "../../../ui/toast.tsx"
import { useTask } from "../../../ui/use-task.ts"
import { refreshContacts } from "../data.ts"
import type { CsvFile } from "./csv.ts"
import { Columns } from "./import-columns.tsx"
import { Report } from "./import-report.tsx"
import { guess, problemOf, rewrite, withoutConsent } from "./mapping.ts"

interface Shown {
  report: ImportReport
  dryRun: boolean
}

/** How all people of the file are taken. */
type People = "contacts" | "left" | SuppressionReason

const PEOPLE: readonly (readonly [People, string])[] = [
  ["contacts", "Contacts, with the consent in the file"],
  ["left", "Contacts who have unsubscribed"],
  ["bounce", "Suppressed addresses: bounces"],
  ["complaint", "Suppressed addresses: complaints"],
  ["unsubscribe", "Suppressed addresses: unsubscribed"],
  ["manual", "Suppressed addresses: other reasons"],
]

interface Props {
  book: ContactBook
  file: CsvFile
  /** The file is imported. */
  onDone(): void
}

/** Columns, then a dry count, then the import. A change of the columns asks for a new count. */
export function ImportSteps({ book, file, onDone }: Props) {
  const [mapped, setMapped] = useState(() => guess(file))
  const [people, setPeople] = useState<People>("contacts")
  const [updateExisting, setUpdateExisting] = useState(true)
  const [shown, setShown] = useState<Shown | null>(null)
  const isOfContacts = people === "contacts" || people === "left"
  const problem = problemOf(file, people === "contacts" ? mapped : withoutConsent(mapped))
  const { csv, columns, originalLine } = useMemo(() => rewrite(file, mapped), [file, mapped])
  const tooLarge = new Blob([csv]).size > IMPORT_MAX_CSV_BYTES
  const isCounted = shown?.dryRun === true
  const input = {
    csv,
    columns,
    updateExisting,
    ...(people === "left" && { subscribed: false }),
  }

  const { busy, error, setError, run } = useTask(async (dryRun: boolean) => {
    const report = isOfContacts
      ? await api.contactBooks.import(book.id, { ...input, dryRun })
      : await suppress(csv, people)
    const errors = report.errors.map((one) => ({
      ...one,
      line: originalLine.get(one.line) ?? one.line,
    }))
    setShown({ report: { ...report, errors }, dryRun })
    if (isOfContacts && dryRun) return
    onDone()
    refreshContacts()
    refresh("suppressions")
    say(isOfContacts ? "Contacts imported" : "Addresses suppressed")
  })
  const change = (next: () => void) => {
    setShown(null)
    setError(null)
    next()
  }
  return (
    <>
      <SelectField
        label="People in this file"
        className="max-w-96"
        value={people}
        onChange={(next) => change(() => setPeople(next))}
        options={PEOPLE}
      />
      <Section title="Columns" about="Choose what each column contains.">
        <Columns
          file={file}
          mapped={mapped}
          asksConsent={people === "contacts"}
          onChange={(at, changes) =>
            change(() =>
              setMapped(mapped.map((one, index) => (index === at ? { ...one, ...changes } : one))),
            )
          }
        />
      </Section>
      {isOfContacts && (
        <Switch
          label="Update existing contacts"
          hint="Only the columns in your file change. People who unsubscribed stay unsubscribed."
          checked={updateExisting}
          onChange={(next) => change(() => setUpdateExisting(next))}
        />
      )}
      {error !== null && <ErrorBox error={error} />}
      {shown && <Report {...shown} book={book} />}
      <div className="flex flex-wrap justify-end gap-2">
        <AsRequestButton
          method="POST"
          path={`/contact-books/${book.id}/contacts/import`}
          json={{ ...input, csv: `${csv.slice(0, 200)}…`, dryRun: true }}
          library={`await edgepost.contactBooks.import("${book.id}", { csv, columns, updateExisting: ${updateExisting}, dryRun: true })`}
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
            onClick={() => run(isOfContacts)}
          >
            {isOfContacts ? "Preview import" : "Suppress addresses"}
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

/** As a report of contacts. */
async function suppress(csv: string, reason: SuppressionReason): Promise<ImportReport> {
  const { added, existing, errors } = await api.suppressions.import({ csv, reason })
  return { imported: 0, updated: 0, skipped: existing, duplicates: 0, errors, suppressed: added }
}
