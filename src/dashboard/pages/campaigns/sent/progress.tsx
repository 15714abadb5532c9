import { useQuery } from "@tanstack/react-query"
import type { Campaign } from "../../../../client/types.ts"
import { CAMPAIGN_COUNTS } from "../../../../worker/campaigns/statuses.ts"
import { useRefresh } from "../../../api/pages.ts"
import { sentence } from "../../../ui/badge.tsx"
import { counted, number, percent } from "../../../ui/numbers.ts"
import { Card } from "../../../ui/page.tsx"
import { audienceQuery, campaignQuery } from "../data.ts"
import { isHandedOver } from "../words.ts"

/** Outcomes still come after all emails are queued, so a change of an email reloads the counts. */
export const useLiveCampaign = ({ id }: Campaign) =>
  useRefresh("email", [campaignQuery(id).queryKey])

/** How many emails are queued, and how many of them have ended. */
export function Progress({ campaign }: { campaign: Campaign }) {
  const { counts, status } = campaign
  const audience = useQuery({
    ...audienceQuery(campaign),
    enabled: status === "sending",
  })
  if (status === "cancelled" || isHandedOver(campaign)) return null
  const total = Math.max(
    counts.recipients,
    status === "sending" ? (audience.data?.eligible ?? 0) : 0,
  )
  const done = Math.min(counts.sent + counts.failed, total)
  const hundredths = total === 0 ? 100 : Math.floor((100 * done) / total)
  return (
    <div className="grid gap-1">
      <div
        role="progressbar"
        aria-label="Sent"
        aria-valuenow={hundredths}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full bg-primary" style={{ width: `${hundredths}%` }} />
      </div>
      <p className="text-muted">
        {number(done)} of {counted(total, "recipient")} handed to the provider (
        {percent(hundredths / 100)})
      </p>
    </div>
  )
}

const OF_DELIVERED = new Set(["opened", "clicked", "unsubscribed", "complained"])

/** Each number counts a recipient once. */
export function Counts({ campaign }: { campaign: Campaign }) {
  const { counts } = campaign
  return (
    <Card className="p-0">
      <dl className="grid grid-cols-2 sm:grid-cols-3 lg:grid-cols-5">
        {CAMPAIGN_COUNTS.map((name) => {
          const base = OF_DELIVERED.has(name) ? counts.delivered : counts.recipients
          return (
            <div key={name} className="min-w-0 p-4">
              <dt className="truncate text-xs text-muted">{sentence(name)}</dt>
              <dd className="text-2xl font-semibold tracking-tight tabular-nums">
                {number(counts[name])}
                {name !== "recipients" && base > 0 && (
                  <span className="ml-1 text-xs font-normal text-muted">
                    {percent(counts[name] / base)}
                  </span>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </Card>
  )
}
