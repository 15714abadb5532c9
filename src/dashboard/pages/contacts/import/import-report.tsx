import type { ContactBook, ImportReport } from "../../../../client/types.ts"
import { IMPORT_MAX_ERRORS } from "../../../../worker/contacts/import/import-limits.ts"
import { Link } from "../../../app/link.tsx"
import { Button } from "../../../ui/button.tsx"
import { spreadsheetLine } from "../../../ui/export/csv-line.ts"
import { download } from "../../../ui/export/download.ts"
import { counted, number } from "../../../ui/numbers.ts"
import { Card, Facts, Section } from "../../../ui/page.tsx"

const SHOWN_ERRORS = 10

interface Props {
  report: ImportReport
  dryRun: boolean
  book: ContactBook
}

/** What an import did, or would do. */
export function Report({ report, dryRun, book }: Props) {
  const { imported, updated, skipped, duplicates, errors, subscribed, suppressed } = report
  return (
    <Section
      title={dryRun ? "Preview" : "Import finished"}
      about={dryRun ? "Nothing is imported yet." : undefined}
    >
      <Card className="grid gap-4 p-4">
        <div role="status">
          <Facts
            facts={[
              ["Added", number(imported)],
              subscribed !== undefined && [
                "Subscribed",
                `${number(subscribed)} of the added contacts`,
              ],
              ["Updated", number(updated)],
              suppressed !== undefined && ["Suppressed", number(suppressed)],
              skipped > 0 && ["Skipped", `${number(skipped)}, already in the book or excluded`],
              duplicates > 0 && [
                "Replaced",
                `${counted(duplicates, "row")}, by a later row with the same address`,
              ],
              ["Skipped or changed", errorCount(errors.length)],
            ]}
          />
        </div>
        {errors.length > 0 && <Errors errors={errors} book={book} />}
        {!dryRun && (
          <p>
            <Link to={`/contacts/${book.id}`} className="underline">
              Go to {book.name}
            </Link>
          </p>
        )}
      </Card>
    </Section>
  )
}

const errorCount = (count: number) =>
  count >= IMPORT_MAX_ERRORS ? `${IMPORT_MAX_ERRORS} rows or more` : number(count)

function Errors({ errors, book }: { errors: ImportReport["errors"]; book: ContactBook }) {
  const save = () => {
    const rows = errors.map(({ line, email, message }) =>
      spreadsheetLine([String(line), email ?? "", message]),
    )
    download(
      `errors-${book.id}.csv`,
      [spreadsheetLine(["line", "email", "message"]), ...rows].join(""),
    )
  }
  return (
    <div className="grid gap-2">
      <ul aria-label="Skipped rows" className="grid gap-1">
        {errors.slice(0, SHOWN_ERRORS).map(({ line, email, message }) => (
          <li key={line} className="wrap-anywhere">
            <span className="text-muted">Line {number(line)}:</span> {email && `${email}, `}
            {message}
          </li>
        ))}
      </ul>
      <div>
        <Button small onClick={save}>
          Download errors as CSV
        </Button>
      </div>
    </div>
  )
}
