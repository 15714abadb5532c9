import { Link } from "../../app/link.tsx"
import { Section } from "../../ui/page.tsx"
import { Loaded, Skeleton } from "../../ui/waiting.tsx"
import { stepsOf, stepWords, toSteps, useSeries } from "../metrics/data.ts"
import { DeliveriesChart } from "../metrics/deliveries-chart.tsx"
import { StepTable } from "../metrics/step-table.tsx"

/** Thirty days, or hours while there are fewer than three days. */
export function LastDays({ isEmpty }: { isEmpty: boolean }) {
  const { query, series } = useSeries(stepsOf("30d"))
  return (
    <Section
      title="Deliveries and bounces"
      about={stepWords(query)}
      actions={
        <Link to="/metrics" className="underline underline-offset-2">
          All metrics
        </Link>
      }
    >
      {series.isPending && !isEmpty ? (
        // As tall as the chart with its table.
        <div className="h-65 max-sm:h-79">
          <Skeleton lines={7} />
        </div>
      ) : (
        <Loaded query={series} lines={1}>
          {(found) =>
            found.totals.sent === 0 ? (
              <p className="text-muted">No email sent in the last 30 days.</p>
            ) : (
              <>
                <DeliveriesChart
                  steps={toSteps(found)}
                  step={query.step}
                  range={query.step === "day" ? "Last 30 days" : "First days"}
                />
                <StepTable steps={toSteps(found)} query={query} />
              </>
            )
          }
        </Loaded>
      )}
    </Section>
  )
}
