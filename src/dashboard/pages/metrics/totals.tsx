import { Link } from "../../app/link.tsx"
import { sentence } from "../../ui/badge.tsx"
import { number } from "../../ui/numbers.ts"
import { bouncedIn, type Series, type SeriesQuery } from "./data.ts"
import { emailsBehind } from "./emails-behind.ts"
import { COUNTED } from "./step-table.tsx"
import { Total } from "./total.tsx"

/** The sums of the range. Each number leads to its emails. */
export function Totals({ totals, query }: { totals: Series["totals"]; query: SeriesQuery }) {
  const { hard, soft } = totals.bounced
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border bg-raised sm:grid-cols-3 lg:grid-cols-6">
      {COUNTED.map((name) => {
        const count = name === "bounced" ? bouncedIn(totals) : totals[name]
        return (
          <div key={name} className="-mt-px -ml-px grid content-start gap-1 border-t border-l p-4">
            <dt className="text-muted">{sentence(name)}</dt>
            <Total
              share={name !== "sent" && totals.sent > 0 && count / totals.sent}
              detail={
                name === "bounced" && count > 0 && `${number(hard)} hard, ${number(soft)} soft`
              }
            >
              <Link to={emailsBehind(name, query)}>{number(count)}</Link>
            </Total>
          </div>
        )
      })}
    </dl>
  )
}
