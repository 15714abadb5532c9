export interface CsvFile {
  header: string[]
  rows: CsvRow[]
}

interface CsvRow {
  /** The line of the file on which the row starts. */
  line: number
  cells: string[]
}

const DELIMITERS = [",", ";", "\t", "|"]

/** Reads RFC 4180, also with other delimiters, which spreadsheets of many countries write. */
export function readCsv(text: string): CsvFile {
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const delimiter = delimiterOf(source)
  const rows: CsvRow[] = []
  let cells: string[] = []
  let line = 1
  let start = 1
  let at = 0
  while (at <= source.length) {
    const { cell, end } = readCell(source, at, delimiter)
    line += newLines(source, at, end)
    cells.push(cell.trim())
    const isEndOfRow = end >= source.length || source[end] === "\n"
    if (isEndOfRow) {
      if (cells.some((text) => text !== "")) rows.push({ line: start, cells })
      cells = []
      line++
      start = line
    }
    at = end + 1
  }
  const [header, ...data] = rows
  return { header: header?.cells ?? [], rows: data }
}

function readCell(source: string, at: number, delimiter: string): { cell: string; end: number } {
  let from = at
  while (source[from] === " ") from++
  if (source[from] !== '"') {
    const end = endOf(source, at, delimiter)
    return { cell: source.slice(at, end), end }
  }
  let cell = ""
  for (let next = from + 1; ; ) {
    const quote = source.indexOf('"', next)
    if (quote === -1) throw new Error("A quotation mark is never closed.")
    cell += source.slice(next, quote)
    if (source[quote + 1] !== '"') return { cell, end: endOf(source, quote + 1, delimiter) }
    cell += '"'
    next = quote + 2
  }
}

function endOf(source: string, at: number, delimiter: string): number {
  let end = at
  while (end < source.length && source[end] !== delimiter && source[end] !== "\n") end++
  return end
}

function newLines(source: string, from: number, to: number): number {
  let count = 0
  for (
    let at = source.indexOf("\n", from);
    at !== -1 && at < to;
    at = source.indexOf("\n", at + 1)
  ) {
    count++
  }
  return count
}

/** The delimiter that the header contains most often. */
function delimiterOf(source: string): string {
  const header = source.trimStart().split("\n", 1)[0] ?? ""
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ","
}
