import { useState } from "react"
import type { Stats } from "../../../client/types.ts"
import { LOCALE } from "../../ui/locale.ts"
import { number } from "../../ui/numbers.ts"

type Day = Stats["series"][number]

const HEIGHT = 120
const WIDTH = 10
const GAP = 2

/** The parts of a bar from the bottom up. The rest of `sent` has no outcome yet. */
const partsOf = ({ delivered, complained, bounced }: Day) =>
  [
    // Mail is delivered before somebody complains about it.
    ["fill-delivered", Math.max(0, delivered - complained)],
    ["fill-delayed", complained],
    ["fill-failed", bounced],
  ] as const

const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" })

/** A bar a day, with exact values on hover, and as a table for a screen reader. */
export function Chart({ series }: { series: readonly Day[] }) {
  const [shown, setShown] = useState<Day | null>(null)
  const most = Math.max(1, ...series.map(({ sent }) => sent))
  const count = (name: (typeof COLUMNS)[number]) =>
    number((shown ? [shown] : series).reduce((sum, one) => sum + one[name], 0))
  return (
    <figure className="grid gap-2">
      <figcaption className="flex min-h-5 flex-wrap gap-x-4 text-muted" aria-hidden>
        <span className="min-w-24 text-ink">
          {shown ? day.format(new Date(shown.date)) : "Last 30 days"}
        </span>
        <span>{count("sent")} sent</span>
        <span className="text-delivered">● {count("delivered")} delivered</span>
        <span className="text-failed">✕ {count("bounced")} bounced</span>
        <span className="text-delayed">▲ {count("complained")} complained</span>
        <span className="text-opened">◆ {count("opened")} opened</span>
        <span className="text-clicked">■ {count("clicked")} clicked</span>
      </figcaption>
      <svg
        aria-hidden
        viewBox={`0 0 ${series.length * (WIDTH + GAP)} ${HEIGHT + 1}`}
        preserveAspectRatio="none"
        className="h-36 w-full"
        onPointerLeave={() => setShown(null)}
      >
        {series.map((one, index) => (
          <g
            key={one.date}
            transform={`translate(${index * (WIDTH + GAP)} 0)`}
            onPointerEnter={() => setShown(one)}
          >
            <rect
              width={WIDTH + GAP}
              height={HEIGHT}
              className={one === shown ? "fill-sunken" : "fill-transparent"}
            />
            <Bar day={one} most={most} />
          </g>
        ))}
        <line x2="100%" y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} className="stroke-line" />
      </svg>
      <p className="flex justify-between text-xs text-muted" aria-hidden>
        {[series[0], series.at(-1)].map(
          (one) => one && <span key={one.date}>{day.format(new Date(one.date))}</span>,
        )}
      </p>
      <Table series={series} />
    </figure>
  )
}

function Bar({ day, most }: { day: Day; most: number }) {
  const tall = (count: number) => (count / most) * HEIGHT
  let top = HEIGHT
  return (
    <>
      <rect
        y={HEIGHT - tall(day.sent)}
        width={WIDTH}
        height={tall(day.sent)}
        className="fill-line"
      />
      {partsOf(day).map(([fill, count]) => {
        top -= tall(count)
        return (
          <rect
            key={fill}
            y={Math.max(0, top)}
            width={WIDTH}
            height={tall(count)}
            className={fill}
          />
        )
      })}
    </>
  )
}

const COLUMNS = ["sent", "delivered", "bounced", "complained", "opened", "clicked"] as const

const Table = ({ series }: { series: readonly Day[] }) => (
  // A table grows with its content, so the element around it is the one to hide.
  <div className="sr-only">
    <table>
      <caption>Emails per day, last 30 days</caption>
      <thead>
        <tr>
          <th>Day</th>
          {COLUMNS.map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.map((one) => (
          <tr key={one.date}>
            <th>{one.date}</th>
            {COLUMNS.map((name) => (
              <td key={name}>{one[name]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
