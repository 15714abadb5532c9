import { useQuery } from "@tanstack/react-query"
import type { Campaign } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Section } from "../../ui/page.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { seriesQuery, stepsSince, toSteps } from "./data.ts"
import { EngagementChart } from "./engagement-chart.tsx"
import { Links } from "./links.tsx"
import { StepTable } from "./step-table.tsx"

/** A campaign's opens and clicks since its first email, and its links. */
export default function CampaignMetrics({ campaign }: { campaign: Campaign }) {
  const { id, sentAt, scheduledAt, createdAt } = campaign
  const starts = [scheduledAt, sentAt, createdAt].filter((time) => time !== null)
  const query = { ...stepsSince(starts[0] ?? createdAt), campaignId: id }
  const series = useQuery(seriesQuery(query))
  return (
    <div className="grid gap-6">
      <Section
        title="Opens and clicks"
        actions={
          <Link to={`/metrics?campaign=${id}`} className="underline underline-offset-2">
            All metrics
          </Link>
        }
      >
        <Loaded query={series} lines={4}>
          {(found) => (
            <>
              <EngagementChart steps={toSteps(found)} step={query.step} />
              <StepTable steps={toSteps(found)} query={query} />
            </>
          )}
        </Loaded>
      </Section>
      <Links owner={{ campaignId: id }} />
    </div>
  )
}
