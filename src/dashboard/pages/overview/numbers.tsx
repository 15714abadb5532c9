import type { Counts } from "../../../worker/stats/overview/contract.ts"
import { Link } from "../../app/link.tsx"
import { number } from "../../ui/numbers.ts"
import { Total } from "../metrics/total.tsx"

/** In the order of the page. */
const LABELS: Record<keyof Counts, string> = {
  sent: "Accepted",
  delivered: "Delivered",
  bounced: "Bounced",
  complained: "Complained",
}

const COUNTED = Object.keys(LABELS) as (keyof Counts)[]

interface Props {
  /** The counts of the last 24 hours, and usual ones. While they load, dashes keep their place. */
  counts: { today: Counts; usual: Counts | null } | undefined
}

/** Each number links to its emails. */
export function Numbers({ counts }: Props) {
  return (
    <dl
      aria-label={counts ? undefined : "Loading"}
      className="grid grid-cols-2 overflow-hidden rounded-lg border bg-raised md:grid-cols-4"
    >
      {COUNTED.map((name) => (
        <div key={name} className="grid content-start gap-1 border-t border-l p-4 -mt-px -ml-px">
          <dt className="text-muted">{LABELS[name]}</dt>
          {counts ? <Shown name={name} {...counts} /> : <Total>–</Total>}
        </div>
      ))}
    </dl>
  )
}

interface NumberProps {
  name: keyof Counts
  today: Counts
  usual: Counts | null
}

const Shown = ({ name, today, usual }: NumberProps) => (
  <Total
    share={name !== "sent" && today.sent > 0 && today[name] / today.sent}
    detail={usual && `7-day average ${number(Math.round(usual[name]))}`}
  >
    {name === "sent" ? (
      number(today[name])
    ) : (
      <Link to={`/emails?q=status:${name}`}>{number(today[name])}</Link>
    )}
  </Total>
)
