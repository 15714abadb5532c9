import { invalid } from "../http/errors.ts"

export interface CsvRow {
  /** The physical line on which the row starts. */
  line: number
  cells: string[]
}

/**
 * The rows of a CSV text (RFC 4180), the header first, without blank rows. Refuses the whole text
 * if it has more than `maxRows` rows below the header, or a misplaced quote.
 */
export async function readCsv(text: string, maxRows: number): Promise<CsvRow[]> {
  const { CsvError, parse } = await import("csv-parse/sync")
  const rows: CsvRow[] = []
  // csv-parse counts a CRLF in quotes as two lines.
  const unified = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  try {
    parse(unified, {
      record_delimiter: "\n",
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (record: string[], { lines }) => {
        const cells = record.map((cell) => cell.trim())
        if (cells.every((cell) => cell === "")) return null
        if (rows.length > maxRows) throw invalid(["csv"], `At most ${maxRows} rows`)
        rows.push({ line: lines - record.join("").split("\n").length + 1, cells })
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const [fault] = error.message.split(":")
    throw invalid(["csv"], `Unreadable at line ${error.lines}: ${fault}`)
  }
  return rows
}
