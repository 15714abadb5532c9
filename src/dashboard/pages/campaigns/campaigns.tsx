import { CAMPAIGN_STATUSES } from "../../../worker/campaigns/statuses.ts"
import { type CampaignRow, listCampaigns } from "../../api/queries.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import type { Column } from "../../ui/list/list.tsx"
import { StatusList } from "../../ui/list/status-list.tsx"
import { number, percent } from "../../ui/numbers.ts"
import { Time } from "../../ui/time/time.tsx"
import { stateOf } from "./words.ts"

const FirstCampaign = lazy(() => import("./first-campaign.tsx"))

type CountName = keyof CampaignRow["counts"]

/** A count of recipients, with its share. */
const counted = (head: string, name: CountName, base: CountName): Column<CampaignRow> => ({
  head,
  width: "120px",
  right: true,
  cell: ({ status, counts }) =>
    status === "draft" || status === "scheduled" ? (
      "–"
    ) : (
      <>
        {number(counts[name])}{" "}
        {counts[base] > 0 && (
          <span className="text-xs text-muted">{percent(counts[name] / counts[base])}</span>
        )}
      </>
    ),
})

const COLUMNS: readonly Column<CampaignRow>[] = [
  {
    head: "Campaign",
    width: "minmax(0, 2fr)",
    cell: ({ id, name }) => (
      <Link to={`/campaigns/${id}`} className="font-medium">
        {name}
      </Link>
    ),
    below: (campaign) => <When campaign={campaign} />,
  },
  {
    head: "Status",
    width: "minmax(96px, 1fr)",
    phoneWidth: "96px",
    phone: true,
    cell: (campaign) => (
      <span className="flex items-center gap-3">
        <Badge {...stateOf(campaign)} />
        <span className="truncate text-muted max-md:hidden">
          <When campaign={campaign} />
        </span>
      </span>
    ),
  },
  counted("Delivered", "delivered", "recipients"),
  counted("Opened", "opened", "delivered"),
  counted("Clicked", "clicked", "delivered"),
  counted("Bounced", "bounced", "recipients"),
]

/** When it was sent, will be sent, or was changed. */
function When({ campaign }: { campaign: CampaignRow }) {
  const { scheduledAt, sentAt, updatedAt, status } = campaign
  return <Time at={sentAt ?? (status === "scheduled" ? scheduledAt : updatedAt)} />
}

export default function Campaigns() {
  return (
    <StatusList<CampaignRow>
      noun="campaigns"
      create="Create campaign"
      statuses={CAMPAIGN_STATUSES}
      queryKey={["campaigns"]}
      list={(filter, query, options) => listCampaigns({ ...query, ...filter }, options)}
      columns={COLUMNS}
      First={FirstCampaign}
    />
  )
}
