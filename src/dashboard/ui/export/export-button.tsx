import { Suspense, useState } from "react"
import { lazy } from "../../app/lazy.ts"
import { Button } from "../button.tsx"

const ExportDialog = lazy(() => import("./export-dialog.tsx"))

interface Props<T> {
  /** What is exported, in the plural: "suppressions". */
  noun: string
  read(signal: AbortSignal): AsyncIterable<T>
  /** The columns of the file, by their names. */
  columns: Record<string, (record: T) => string | number | null>
}

export function ExportButton<T>({ noun, read, columns }: Props<T>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export as CSV</Button>
      <Suspense>
        {isOpen && (
          <ExportDialog
            title={`Export ${noun}`}
            description={`A CSV file of all ${noun} in this list.`}
            filename={`${noun.replaceAll(" ", "-")}.csv`}
            read={read}
            toRow={(record) =>
              Object.values(columns).map((cell) => String(cell(record as T) ?? ""))
            }
            header={() => Object.keys(columns)}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  )
}
