import { normalizeAddress } from "../../../../lib/address.ts"

export interface CsvFile {
  header: string[]
  rows: CsvRow[]
}

export interface CsvRow {
  /** The line of the file on which the row starts. */
  line: number
  cells: string[]
}

const DELIMITERS = [",", ";", "\t", "|"]

/** Reads RFC 4180, also with other delimiters, and without the title that some programs write above. */
export function readRows(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const [named, sign] = /^"?sep=(.)"?\n/i.exec(source) ?? []
  const delimiter = sign ?? delimiterOf(source)
  const rows = named
    ? parse(source.slice(named.length), delimiter).map(({ line, cells }) => ({
        line: line + 1,
        cells,
      }))
    : parse(source, delimiter)
  return withoutTitle(rows)
}

/** The first row names the columns, unless it has an address. */
export const hasHeader = ([first]: readonly CsvRow[]): boolean =>
  !first?.cells.some((cell) => isAddress(cell))

export function toFile(rows: readonly CsvRow[], isHeaded: boolean): CsvFile {
  const [first, ...others] = rows
  if (isHeaded) return { header: first?.cells ?? [], rows: others }
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length))
  return {
    header: Array.from({ length: width }, (_, at) => `Column ${at + 1}`),
    rows: [...rows],
  }
}

export const isAddress = (cell: string): boolean =>
  cell.includes("@") && normalizeAddress(cell.trim()) !== null

function parse(source: string, delimiter: string, isSample = false): CsvRow[] {
  const rows: CsvRow[] = []
  let cells: string[] = []
  let line = 1
  let start = 1
  let at = 0
  while (at <= source.length) {
    const { cell, end } = readCell(source, at, delimiter, isSample)
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
  return rows
}

function readCell(source: string, at: number, delimiter: string, isSample: boolean) {
  let from = at
  while (source[from] === " ") from++
  if (source[from] !== '"') {
    const end = endOf(source, at, delimiter)
    return { cell: source.slice(at, end), end }
  }
  let cell = ""
  for (let next = from + 1; ; ) {
    const quote = source.indexOf('"', next)
    if (quote === -1 && isSample) return { cell, end: source.length }
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

const SAMPLE_CHARACTERS = 50_000

/** The delimiter by which most rows have the same number of cells. */
function delimiterOf(source: string): string {
  const sample = source.slice(0, SAMPLE_CHARACTERS)
  const [best] = DELIMITERS.map((delimiter) => {
    const rows = parse(sample, delimiter, true)
    const widths = Map.groupBy(rows, ({ cells }) => cells.length)
    const [[width, same] = [1, []]] = [...widths].toSorted(([, a], [, b]) => b.length - a.length)
    return { delimiter, width, share: width > 1 ? Math.round((same.length / rows.length) * 20) : 0 }
  }).toSorted((a, b) => b.share - a.share || b.width - a.width)
  return best && best.share > 0 ? best.delimiter : mostFrequent(sample)
}

/** For a header without rows, or rows that are all different. */
function mostFrequent(sample: string): string {
  const [header = ""] = sample.trimStart().split("\n", 1)
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ","
}

const ROWS_LOOKED_AT = 20

/** A title is alone in its row, above rows with more cells. */
function withoutTitle(rows: CsvRow[]): CsvRow[] {
  const filled = rows
    .slice(0, ROWS_LOOKED_AT)
    .map(({ cells }) => cells.filter((cell) => cell !== "").length)
  const start = filled.findIndex((count) => count > 1)
  const isTitle = rows.slice(0, start).every(({ cells }) => !cells.some(isAddress))
  return start > 0 && isTitle ? rows.slice(start) : rows
}
