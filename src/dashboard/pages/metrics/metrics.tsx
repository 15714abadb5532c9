import { useQuery } from "@tanstack/react-query"
import { THRESHOLDS } from "../../../worker/stats/alerts.ts"
import { useFilters } from "../../app/params.ts"
import { Page, Section } from "../../ui/page.tsx"
import { AsRequestButton } from "../../ui/request/as-request.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { Loaded } from "../../ui/waiting.tsx"
import {
  deliveryQuery,
  RANGES,
  type SeriesQuery,
  type Step,
  stepsOf,
  stepWords,
  toSteps,
  useSeries,
} from "./data.ts"
import { DeliveriesChart } from "./deliveries-chart.tsx"
import { DeliveryTimes, Mailboxes } from "./delivery.tsx"
import { EngagementChart } from "./engagement-chart.tsx"
import { MetricsFilters } from "./filters.tsx"
import { Links } from "./links.tsx"
import { RateChart } from "./rate-chart.tsx"
import { StepTable } from "./step-table.tsx"
import { Totals } from "./totals.tsx"

export default function Metrics() {
  const [chosen, setFilters] = useFilters()
  const [range, rangeLabel] = RANGES.find(([name]) => name === chosen.range) ?? RANGES[2]
  const { domain, template, campaign, tag } = chosen
  const { query, series } = useSeries({
    ...stepsOf(range),
    ...(domain && { domainId: domain }),
    ...(template && { templateId: template }),
    ...(campaign && { campaignId: campaign }),
    ...(tag && { tag }),
  })
  return (
    <Page
      title="Metrics"
      about={stepWords(query)}
      actions={<AsRequestButton {...asRequest(query)} />}
    >
      <MetricsFilters range={range} chosen={chosen} onChange={setFilters} />
      <Loaded query={series} lines={8}>
        {(found) => {
          const steps = toSteps(found)
          return (
            <>
              {found.incomplete && (
                <p role="status" className="text-muted">
                  Some emails with this tag could not be counted.
                </p>
              )}
              <Totals totals={found.totals} query={query} />
              {isQuiet(steps) ? (
                <p className="text-muted">
                  No emails in this period. Choose a longer one or remove a filter.
                </p>
              ) : (
                <Charts steps={steps} query={query} range={rangeLabel} />
              )}
            </>
          )
        }}
      </Loaded>
      <DeliveryParts query={query} />
      {campaign && <Links owner={{ campaignId: campaign }} />}
      {template && !campaign && <Links owner={{ templateId: template }} />}
    </Page>
  )
}

const isQuiet = (steps: readonly Step[]) =>
  steps.every(({ at: _, ...counts }) => Object.values(counts).every((count) => count === 0))

function Charts({
  steps,
  query,
  range,
}: {
  steps: readonly Step[]
  query: SeriesQuery
  range: string
}) {
  const shared = { steps, step: query.step }
  return (
    <>
      <Section title="Deliveries and bounces">
        <DeliveriesChart {...shared} range={range} />
        <StepTable steps={steps} query={query} />
        <p className="text-xs text-muted">
          Each number counts events of its period. Its list shows the emails accepted in that
          period.
        </p>
      </Section>
      <div className="grid gap-6 lg:grid-cols-2">
        <RateChart
          {...shared}
          title="Bounce rate"
          count="bounced"
          limit={THRESHOLDS.bounce.critical}
          fill="fill-failed"
        />
        <RateChart
          {...shared}
          title="Complaint rate"
          count="complained"
          limit={THRESHOLDS.complaint.critical}
          fill="fill-delayed"
        />
      </div>
      <Section title="Opens and clicks">
        <EngagementChart {...shared} />
      </Section>
    </>
  )
}

function DeliveryParts({ query }: { query: SeriesQuery }) {
  const delivery = useQuery({ ...deliveryQuery(query), enabled: !query.tag })
  if (query.tag) {
    return (
      <p className="text-muted">
        Delivery times and mailbox providers are not counted by tag. Remove the tag to see them.
      </p>
    )
  }
  return (
    <Loaded query={delivery} lines={4}>
      {({ time, mailboxes }) => (
        <div className="grid gap-6 lg:grid-cols-[1fr_2fr]">
          <DeliveryTimes time={time} />
          <Mailboxes mailboxes={mailboxes} query={query} />
        </div>
      )}
    </Loaded>
  )
}

const asRequest = (query: SeriesQuery): AsRequest => ({
  method: "GET",
  path: `/stats/series?${new URLSearchParams({ ...query })}`,
  library: `const { data, totals } = await edgepost.statsSeries(${JSON.stringify(query)})`,
})
