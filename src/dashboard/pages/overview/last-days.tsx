import { useQuery } from "@tanstack/react-query"
import type { Stats } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Section } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { type SeriesQuery, seriesQuery, stepsSince, toSteps } from "../metrics/data.ts"
import { DeliveriesChart } from "../metrics/deliveries-chart.tsx"
import { StepTable } from "../metrics/step-table.tsx"

type Days = Stats["series"]

/** Thirty days, or hours while there are fewer than three days. */
export function LastDays({ series }: { series: Days }) {
  const first = series.find(({ sent }) => sent > 0)
  const steps = first && stepsSince(midnight(first.date))
  if (!steps) {
    return (
      <Section title="Deliveries and bounces">
        <p className="text-muted">No email sent in the last 30 days.</p>
      </Section>
    )
  }
  if (steps.step === "hour") return <Hours query={steps} />
  const days = series.map(({ date, ...counts }) => ({ at: midnight(date), ...counts }))
  return (
    <Section title="Deliveries and bounces" about="Daily totals, in UTC." actions={<AllMetrics />}>
      <DeliveriesChart steps={days} step="day" range="Last 30 days" />
      <StepTable steps={days} query={{ since: days[0]?.at ?? steps.since, step: "day" }} />
    </Section>
  )
}

const midnight = (date: string) => `${date}T00:00:00.000Z`

function Hours({ query }: { query: SeriesQuery }) {
  const hours = useQuery(seriesQuery(query))
  return (
    <Section title="Deliveries and bounces" about="Hourly totals." actions={<AllMetrics />}>
      <Loaded query={hours} lines={4}>
        {(found) => (
          <>
            <DeliveriesChart steps={toSteps(found)} step="hour" range="First days" />
            <StepTable steps={toSteps(found)} query={query} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

const AllMetrics = () => (
  <Link to="/metrics" className="underline underline-offset-2">
    All metrics
  </Link>
)
