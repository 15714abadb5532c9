import { nextTurn } from "../../../lib/next-turn.ts"
import { ApiError, invalid } from "../../platform/http/errors.ts"
import { IMPORT_MAX_CSV_BYTES, IMPORT_MAX_ROWS } from "./import-limits.ts"

export interface CsvRow {
  /** The physical line on which the row starts. */
  line: number
  cells: string[]
}

/** More than any file needs: an import has known columns and up to 50 properties. */
const MAX_COLUMNS = 200

/** More commas than 10,000 rows of 54 columns have. Commas are counted before the text is read. */
const MAX_COMMAS = 600_000

/**
 * The rows of a CSV text (RFC 4180), the header first. Blank rows are left out, and so are blank cells
 * at the end of a row, which spreadsheets write. Refuses the whole text if it is no UTF-8, too large,
 * has more than `maxRows` rows below the header, more than twice as many with blank rows, or a
 * misplaced quote.
 */
export async function readCsv(text: string, maxRows = IMPORT_MAX_ROWS): Promise<CsvRow[]> {
  if (Buffer.byteLength(text) > IMPORT_MAX_CSV_BYTES) {
    throw new ApiError(
      "payload_too_large",
      `The CSV may have at most ${IMPORT_MAX_CSV_BYTES} bytes.`,
    )
  }
  // Bytes that are not UTF-8 arrive as U+FFFD, and UTF-16 has zeros.
  const isUtf8 = text.isWellFormed() && !text.includes("\u0000") && !text.includes("\uFFFD")
  if (!isUtf8) throw invalid(["csv"], "Must be UTF-8")
  const { CsvError, parse } = await import("csv-parse/sync")
  if (count(text, ",") > MAX_COMMAS) throw invalid(["csv"], `At most ${MAX_COMMAS} cells`)
  const rows: CsvRow[] = []
  let records = 0
  // csv-parse counts a CRLF in quotes as two lines.
  const unified = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  /** How many lines come before the piece. */
  let before = 0
  const read = (piece: string) =>
    parse(piece, {
      record_delimiter: "\n",
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (record: string[], { lines }) => {
        records++
        if (records > 2 * maxRows) throw invalid(["csv"], `At most ${maxRows} rows`)
        if (rows.length === 0 && record.length > MAX_COLUMNS) {
          throw invalid(["csv"], `At most ${MAX_COLUMNS} columns`)
        }
        const cells = record.map((cell) => cell.trim())
        const filled = cells.findLastIndex((cell) => cell !== "") + 1
        if (filled === 0) return null
        if (rows.length > maxRows) throw invalid(["csv"], `At most ${maxRows} rows`)
        const line = before + lines - record.join("").split("\n").length + 1
        rows.push({ line, cells: cells.slice(0, filled) })
        return null
      },
    })
  try {
    for (let at = 0, end = 0; at < unified.length; at = end) {
      if (at > 0) await nextTurn()
      end = endOfPiece(unified, at)
      const piece = unified.slice(at, end)
      read(piece)
      before += count(piece, "\n")
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const [fault] = error.message.split(":")
    throw invalid(["csv"], `Unreadable at line ${before + Number(error.lines)}: ${fault}`)
  }
  return rows
}

/** A piece full of cells takes some twenty milliseconds. Other calls have their turn between the pieces. */
const PIECE_CHARACTERS = 256 * 1024

/** A piece ends with a line that is not in quotes. */
function endOfPiece(text: string, from: number): number {
  let [quotes, at] = [0, from]
  let lineEnd = text.indexOf("\n", from + PIECE_CHARACTERS)
  for (; lineEnd !== -1; lineEnd = text.indexOf("\n", at)) {
    quotes += count(text.slice(at, lineEnd), '"')
    at = lineEnd + 1
    if (quotes % 2 === 0) return at
  }
  return text.length
}

function count(text: string, sign: string): number {
  let found = 0
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) found++
  return found
}
