import type { Counts } from "../../../worker/stats/overview/contract.ts"
import { Link } from "../../app/link.tsx"
import { number, percent } from "../../ui/numbers.ts"

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
        <div key={name} className="grid gap-1 border-t border-l p-4 -mt-px -ml-px">
          <dt className="text-muted">{LABELS[name]}</dt>
          <dd className="grid">
            <span className="text-2xl font-semibold tracking-tight">
              {name === "sent" ? (
                number(today[name])
              ) : (
                <Link to={`/emails?q=status:${name}`}>{number(today[name])}</Link>
              )}
            </span>
            <span className="min-h-4 text-xs text-muted">
              {[
                name !== "sent" && today.sent > 0 && percent(today[name] / today.sent),
                usual && `7-day average ${number(Math.round(usual[name]))}`,
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
