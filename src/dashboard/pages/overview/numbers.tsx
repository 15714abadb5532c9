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

/** The counts of the last 24 hours beside usual ones. Each number links to its emails. */
export function Numbers({ today, usual }: { today: Counts; usual: Counts | null }) {
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border bg-raised md:grid-cols-4">
      {COUNTED.map((name) => (
        <div key={name} className="grid content-start gap-1 border-t border-l p-4 -mt-px -ml-px">
          <dt className="text-muted">{LABELS[name]}</dt>
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
        </div>
      ))}
    </dl>
  )
}
