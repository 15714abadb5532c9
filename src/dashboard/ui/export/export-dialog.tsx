import { useRef, useState } from "react"
import { Button } from "../button.tsx"
import { Dialog } from "../dialog/dialog.tsx"
import { ErrorBox } from "../form/error-box.tsx"
import { number } from "../numbers.ts"
import { spreadsheetLine, toPieces } from "./csv-line.ts"
import { download } from "./download.ts"

interface Props<T> {
  title: string
  description: string
  filename: string
  /** Every record of the list, page by page. */
  read(signal: AbortSignal): AsyncIterable<T>
  toRow(record: T): string[]
  /** The names of the columns, once all records are read. */
  header(): string[]
  /** How many records there are, where that is known. */
  total?: number
  onClose(): void
}

/** Reads a list page by page into a CSV file. */
export default function ExportDialog<T>({
  title,
  description,
  filename,
  total,
  onClose,
  ...list
}: Props<T>) {
  const [count, setCount] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const stop = useRef<AbortController>(null)
  const start = async () => {
    const controller = new AbortController()
    stop.current = controller
    setError(null)
    setCount(0)
    try {
      const pieces = await toPieces(list.read(controller.signal), list.toRow, setCount)
      download(
        filename,
        new Blob([spreadsheetLine(list.header()), ...pieces], { type: "text/csv" }),
      )
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
    <Dialog open onOpenChange={close} title={title} description={description}>
      <div className="grid gap-4">
        {count !== null && (
          <p role="status">
            {total === undefined
              ? `${number(count)} read`
              : `${number(count)} of ${number(total)} read`}
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
