import type { Campaign } from "../../../client/types.ts"
import type { getOverview } from "../../../worker/stats/overview/contract.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { percent } from "../../ui/numbers.ts"
import { Card } from "../../ui/page.tsx"

type Alert = ReplyOf<typeof getOverview>["alerts"][number]

interface CampaignAlert {
  kind: "campaign"
  level: "warning"
  campaign: Campaign
}

/** A campaign that waits for a person. */
export const campaignAlert = (campaign: Campaign): CampaignAlert => ({
  kind: "campaign",
  level: "warning",
  campaign,
})

interface Advice {
  title: string
  what: string
  to: string
  link: string
}

/** The problem, and what to do. */
function adviceOf(alert: Alert | CampaignAlert): Advice {
  if (alert.kind === "campaign") {
    const { id, name, status, pausedReason } = alert.campaign
    return {
      title: `${name} ${status === "sending" ? "is paused" : "was not sent at its time"}`,
      what: pausedReason ?? "",
      to: `/campaigns/${id}`,
      link: "The campaign",
    }
  }
  const { kind, rate: share, id, label } = alert
  switch (kind) {
    case "bounce":
      return {
        title: `${percent(share ?? 0)} of the last 24 hours' mail bounced`,
        what: "Providers pause senders beyond 5%. Look for a list of old addresses, and stop sending to it.",
        to: "/emails?q=status:bounced",
        link: "Bounced emails",
      }
    case "complaint":
      return {
        title: `${percent(share ?? 0)} of the last 24 hours' mail was marked as spam`,
        what: "Providers pause senders beyond 0.1%. Look which mail it was, and whether people asked for it.",
        to: "/emails?q=status:complained",
        link: "Complaints",
      }
    case "webhook":
      return {
        title: `A webhook is disabled: ${label}`,
        what: "Its receiver failed for 24 hours. It gets no events until somebody enables it.",
        to: `/webhooks/${id}`,
        link: "Its deliveries",
      }
    case "domain":
      return {
        title: `${label} failed its check`,
        what: "Mail from it is refused until its DNS records are there.",
        to: `/domains/${id}`,
        link: "Its records",
      }
    case "provider":
      return {
        title: `The provider ${label} accepts no mail`,
        what: "Emails wait and go out when it accepts mail again. They fail after 72 hours.",
        to: "/emails?q=status:sending",
        link: "Waiting emails",
      }
  }
}

export function Alerts({ alerts }: { alerts: readonly (Alert | CampaignAlert)[] }) {
  if (alerts.length === 0) return null
  return (
    <Card className="divide-y">
      {alerts.map((alert) => {
        const { title, what, to, link } = adviceOf(alert)
        return (
          <div
            key={title}
            role="alert"
            className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 p-4"
          >
            <div className="grid min-w-0 gap-1 wrap-anywhere">
              <p className="font-medium">
                <Badge state={alert.level} /> <span className="ml-2">{title}</span>
              </p>
              <p className="text-muted">{what}</p>
            </div>
            <Link to={to} className="underline underline-offset-2">
              {link}
            </Link>
          </div>
        )
      })}
    </Card>
  )
}
