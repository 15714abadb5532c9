import type { Terminal } from "./terminal.ts"

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }
type Color = keyof typeof CODES
export type Paint = (color: Color, text: string) => string

/** Uses colours only on a terminal, and never with NO_COLOR (no-color.org). */
export function createPaint({ env }: Terminal, sink: Terminal["output"]): Paint {
  const hasColors = Boolean(sink.isTTY) && !env.NO_COLOR && env.TERM !== "dumb"
  return (color, text) => (hasColors ? `\x1b[${CODES[color]}m${text}\x1b[0m` : text)
}

/** A subject or a server's answer may contain control sequences for the terminal. */
export const clean = (text: string): string => text.replace(/\p{Cc}+/gu, " ")

const COLORS: Record<string, Color> = {
  delivered: "green",
  verified: "green",
  opened: "green",
  clicked: "green",
  bounced: "red",
  failed: "red",
  complained: "red",
  pending: "yellow",
  delayed: "yellow",
}

export const paintStatus = (paint: Paint, status: string, text = status): string =>
  COLORS[status] ? paint(COLORS[status], text) : text

/** Aligns rows in columns. A cell with a status gets the colour of the status. */
export function toTable(paint: Paint, titles: string[], rows: string[][]): string {
  const cells = rows.map((row) => row.map(clean))
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)),
  )
  const line = (row: string[], color: (cell: string, padded: string) => string) =>
    row
      .map((cell, index) =>
        color(cell, index < row.length - 1 ? cell.padEnd(widths[index]!) : cell),
      )
      .join("  ")
      .trimEnd()
  return [
    line(titles, (_, padded) => paint("dim", padded)),
    ...cells.map((row) => line(row, (cell, padded) => paintStatus(paint, cell, padded))),
  ].join("\n")
}
