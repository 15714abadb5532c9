import type { getOverview } from "../../../worker/stats/overview/contract.ts"
import type { CampaignRow } from "../../api/queries.ts"
import type { ReplyOf } from "../../api/session.ts"
import { Link } from "../../app/link.tsx"
import { useMay } from "../../app/people.ts"
import { Badge } from "../../ui/badge.tsx"
import { percent } from "../../ui/numbers.ts"
import { Card } from "../../ui/page.tsx"

type Alert = ReplyOf<typeof getOverview>["alerts"][number]

interface CampaignAlert {
  kind: "campaign"
  level: "notice"
  campaign: CampaignRow
}

/** A campaign that waits for a person. */
export const campaignAlert = (campaign: CampaignRow): CampaignAlert => ({
  kind: "campaign",
  level: "notice",
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
      title: `${name} ${status === "draft" ? "was not sent on time" : "is paused"}`,
      what: pausedReason ?? "",
      to: `/campaigns/${id}`,
      link: "Open campaign",
    }
  }
  const { kind, rate: share, id, label } = alert
  switch (kind) {
    case "bounce":
      return {
        title: `${percent(share ?? 0)} of email bounced in the last 24 hours`,
        what: "Providers pause senders above 5%. Look for an old list of addresses and stop sending to it.",
        to: "/emails?q=status:bounced",
        link: "View bounced emails",
      }
    case "complaint":
      return {
        title: `${percent(share ?? 0)} of email was marked as spam in the last 24 hours`,
        what: "Providers pause senders above 0.1%. Check which emails were reported and whether people asked for them.",
        to: "/emails?q=status:complained",
        link: "View complaints",
      }
    case "webhook":
      return {
        title: `Webhook disabled: ${label}`,
        what: "Your server failed for 24 hours. It gets no events until you enable the webhook.",
        to: `/webhooks/${id}`,
        link: "View deliveries",
      }
    case "domain":
      return {
        title: `${label} failed verification`,
        what: "Email from this domain is refused until its DNS records are in place.",
        to: `/domains/${id}`,
        link: "View records",
      }
    case "provider":
      return {
        title: `${label} is not accepting email`,
        what: "Emails wait until the provider accepts email again. They fail after SEND_GIVE_UP_HOURS (72 hours by default).",
        to: "/emails?q=status:sending",
        link: "View waiting emails",
      }
  }
}

export function Alerts({ alerts }: { alerts: readonly (Alert | CampaignAlert)[] }) {
  const may = useMay()
  if (alerts.length === 0) return null
  return (
    <Card className="divide-y">
      {alerts.map((alert) => {
        const { title, what, to, link } = adviceOf(alert)
        return (
          <div
            key={`${title} ${to}`}
            role="alert"
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2"
          >
            <span className="w-20 shrink-0">
              <Badge state={alert.level} />
            </span>
            <p className="min-w-0 flex-1 basis-64 wrap-anywhere">
              <span className="font-medium">{title}.</span>{" "}
              <span className="text-muted">{what}</span>
            </p>
            {(alert.kind !== "webhook" || may.manage) && (
              <Link to={to} className="underline underline-offset-2">
                {link}
              </Link>
            )}
          </div>
        )
      })}
    </Card>
  )
}
