import { type ReactNode, useState } from "react"

const WIDTH = 10
const GAP = 2
export const BAR_HEIGHT = 120

interface Props<T> {
  rows: readonly T[]
  rowKey(row: T): string
  /** The space under the baseline. */
  below?: number
  /** What the row under the pointer says, or all rows. */
  caption(shown: T | null): ReactNode
  /** The first and the last label of the axis. */
  label(row: T): string
  bar(row: T, width: number): ReactNode
  /** Lines over the bars. */
  lines?: ReactNode
}

/** A bar a step. Its exact values show on hover; the page has them in a table besides. */
export function Bars<T>({ rows, rowKey, below = 0, caption, label, bar, lines }: Props<T>) {
  const [shown, setShown] = useState<T | null>(null)
  const ends = rows.length > 1 ? [rows[0], rows.at(-1)] : [rows[0]]
  return (
    <div className="grid min-w-0 gap-2" aria-hidden>
      <div className="flex min-h-5 flex-wrap items-baseline tabular-nums gap-x-4 text-muted">
        {caption(shown)}
      </div>
      <svg
        aria-hidden
        viewBox={`0 0 ${Math.max(1, rows.length) * (WIDTH + GAP)} ${BAR_HEIGHT + 1 + below}`}
        preserveAspectRatio="none"
        className={below ? "h-44 w-full" : "h-36 w-full"}
        onPointerLeave={() => setShown(null)}
      >
        {rows.map((row, index) => (
          <g
            key={rowKey(row)}
            transform={`translate(${index * (WIDTH + GAP)} 0)`}
            onPointerEnter={() => setShown(row)}
          >
            <rect
              width={WIDTH + GAP}
              height={BAR_HEIGHT + below}
              className={row === shown ? "fill-sunken" : "fill-transparent"}
            />
            {bar(row, WIDTH)}
          </g>
        ))}
        <line x2="100%" y1={BAR_HEIGHT + 0.5} y2={BAR_HEIGHT + 0.5} className="stroke-line" />
        {lines}
      </svg>
      <p className="flex justify-between text-xs text-muted">
        {ends.map((row) => row !== undefined && <span key={rowKey(row)}>{label(row)}</span>)}
      </p>
    </div>
  )
}
