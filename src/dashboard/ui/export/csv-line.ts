import { quoteFormula } from "../../../lib/formula.ts"

const csvCell = (value: string) =>
  /[",\n\r]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value

export const csvLine = (cells: readonly string[]) => `${cells.map(csvCell).join(",")}\n`

/** A row for a spreadsheet, which would run a text that begins like a formula. */
export const spreadsheetLine = (cells: readonly string[]) => csvLine(cells.map(quoteFormula))

/** Read text is handed to the browser in pieces, which it may keep on disk. */
export const PIECE_CHARACTERS = 1_000_000

export async function toPieces<T>(
  records: AsyncIterable<T>,
  toRow: (record: T) => string[],
  onCount: (count: number) => void,
): Promise<Blob[]> {
  const pieces: Blob[] = []
  let text = ""
  let count = 0
  for await (const record of records) {
    text += spreadsheetLine(toRow(record))
    count++
    if (count % 100 === 0) onCount(count)
    if (text.length > PIECE_CHARACTERS) {
      pieces.push(new Blob([text]))
      text = ""
    }
  }
  pieces.push(new Blob([text]))
  return pieces
}
