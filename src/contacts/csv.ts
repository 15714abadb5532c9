import { invalid } from "../http/errors.ts"

export interface CsvRow {
  /** The physical line on which the row starts. */
  line: number
  cells: string[]
}

/** More than any file needs: an import has known columns and up to 50 properties. */
const MAX_COLUMNS = 200

/**
 * The rows of a CSV text as RFC 4180 has it, the header first, blank ones left out. More than
 * `maxRows` below the header, more than twice as many with blank ones, or a quote out of place,
 * refuse the text as a whole.
 */
export function readCsv(text: string, maxRows: number): CsvRow[] {
  const csv = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const rows: CsvRow[] = []
  let records = 0
  let line = 1
  for (let at = 0; at < csv.length; ) {
    if (csv[at] === "\n") {
      at++
      line++
      continue
    }
    const row = readRow(csv, at, line)
    const cells = row.cells.map((cell) => cell.trim())
    const isBlank = cells.every((cell) => cell === "")
    if (++records > 2 * maxRows || (!isBlank && rows.length > maxRows)) {
      throw invalid(["csv"], `At most ${maxRows} rows`)
    }
    if (rows.length === 0 && cells.length > MAX_COLUMNS) {
      throw invalid(["csv"], `At most ${MAX_COLUMNS} columns`)
    }
    if (!isBlank) rows.push({ line, cells })
    at = row.end + 1
    line = row.lastLine + 1
  }
  return rows
}

interface Row {
  cells: string[]
  /** Where its last line ends. */
  end: number
  lastLine: number
}

/** Quotes are rare: a row without them is read in a fraction of the time. */
function readRow(csv: string, from: number, line: number): Row {
  const lineEnd = csv.indexOf("\n", from)
  const end = lineEnd === -1 ? csv.length : lineEnd
  const text = csv.slice(from, end)
  return text.includes('"')
    ? readQuotedRow(csv, from, line)
    : { cells: text.split(","), end, lastLine: line }
}

const BLANKS = /[^\S\n]*/y
const UNQUOTED = /[^",\n]*/y

/** The cells of such a row may have line ends. */
function readQuotedRow(csv: string, from: number, line: number): Row {
  const cells: string[] = []
  let lastLine = line
  let at = from
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at
    pattern.test(csv)
    at = pattern.lastIndex
  }
  for (;;) {
    skip(BLANKS)
    const start = at
    if (csv[at] === '"') {
      at = endOfQuoted(csv, at + 1) + 1
      const cell = csv.slice(start + 1, at - 1)
      cells.push(cell.replaceAll('""', '"'))
      lastLine += cell.split("\n").length - 1
      skip(BLANKS)
    } else {
      skip(UNQUOTED)
      cells.push(csv.slice(start, at))
    }
    const next = csv[at]
    if (next === undefined || next === "\n") return { cells, end: at, lastLine }
    if (next !== ",") {
      throw unreadable(
        lastLine,
        csv[start] === '"' ? "Invalid Closing Quote" : "Invalid Opening Quote",
      )
    }
    at++
  }
}

/** Where the quote stands that closes a cell: two quotes are one of its text. */
function endOfQuoted(csv: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = csv.indexOf('"', at)
    if (at === -1) throw unreadable(csv.replace(/\n$/, "").split("\n").length, "Quote Not Closed")
    if (csv[at + 1] !== '"') return at
  }
}

const unreadable = (line: number, fault: string) =>
  invalid(["csv"], `Unreadable at line ${line}: ${fault}`)
