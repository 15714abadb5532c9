import { Link } from "../../app/link.tsx"
import { sentence } from "../../ui/badge.tsx"
import { number } from "../../ui/numbers.ts"
import type { SeriesQuery, Step } from "./data.ts"
import { emailsBehind } from "./emails-behind.ts"
import { stepLabel } from "./step-label.ts"

export const COUNTED = ["sent", "delivered", "bounced", "complained", "opened", "clicked"] as const

/** The exact numbers of each step, newest first, each with its emails. */
export function StepTable({ steps, query }: { steps: readonly Step[]; query: SeriesQuery }) {
  return (
    <details>
      <summary className="w-fit cursor-pointer underline underline-offset-2">
        Show as a table
      </summary>
      <section
        aria-label="Numbers by step"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it
        tabIndex={0}
        className="mt-3 overflow-x-auto rounded-lg border"
      >
        <table className="w-full text-right">
          <thead>
            <tr className="border-b text-muted">
              <th className="px-3 py-2 text-left font-normal">
                {query.step === "day" ? "Day" : "Hour"}
              </th>
              {COUNTED.map((name) => (
                <th key={name} className="px-3 py-2 font-normal">
                  {sentence(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.toReversed().map((one) => (
              <tr key={one.at} className="border-b last:border-b-0">
                <th className="px-3 py-1.5 text-left font-normal whitespace-nowrap">
                  {stepLabel(one.at, query.step)}
                </th>
                {COUNTED.map((name) => (
                  <td key={name} className="px-3 py-1.5">
                    {one[name] > 0 ? (
                      <Link to={emailsBehind(name, query, { at: one.at })}>
                        {number(one[name])}
                      </Link>
                    ) : (
                      <span className="text-muted">0</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
