import { Suspense } from "react"
import type { Campaign } from "../../../client/types.ts"
import { CAMPAIGN_STATUSES } from "../../../worker/campaigns/statuses.ts"
import { api } from "../../api/api.ts"
import { usePages } from "../../api/pages.ts"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { AsRequestButton } from "../../ui/as-request.tsx"
import { Badge, sentence } from "../../ui/badge.tsx"
import { buttonClass } from "../../ui/button.tsx"
import { Empty } from "../../ui/empty.tsx"
import { type Column, List } from "../../ui/list.tsx"
import { number, percent } from "../../ui/numbers.ts"
import { Page } from "../../ui/page.tsx"
import { Select } from "../../ui/select.tsx"
import { Time } from "../../ui/time.tsx"
import { Skeleton } from "../../ui/waiting.tsx"
import { stateOf } from "./words.ts"

const FirstCampaign = lazy(() => import("./first-campaign.tsx"))

type CountName = keyof Campaign["counts"]

/** A count of recipients, with its share. */
const counted = (head: string, name: CountName, base: CountName): Column<Campaign> => ({
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

const COLUMNS: readonly Column<Campaign>[] = [
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
function When({ campaign }: { campaign: Campaign }) {
  const { scheduledAt, sentAt, updatedAt, status } = campaign
  return <Time at={sentAt ?? (status === "scheduled" ? scheduledAt : updatedAt)} />
}

export default function Campaigns() {
  const [{ status = "" }, setFilters] = useFilters()
  const pages = usePages(["campaigns", { status }], (query) =>
    api.campaigns.list({ ...query, ...(status && { status: status as Campaign["status"] }) }),
  )
  const isEmpty = pages.isSuccess && pages.rows.length === 0 && !status
  return (
    <Page
      title="Campaigns"
      actions={
        <>
          <Link to="/campaigns/new" className={buttonClass("primary")}>
            Create campaign
          </Link>
          <AsRequestButton
            method="GET"
            path={status ? `/campaigns?status=${status}` : "/campaigns"}
            library={`const { data } = await edgepost.campaigns.list(${status ? JSON.stringify({ status }) : ""})`}
          />
        </>
      }
    >
      {!isEmpty && (
        <Select
          aria-label="Status"
          className="max-w-48"
          value={status}
          onChange={(status) => setFilters({ status })}
          options={[
            ["", "Any status"],
            ...CAMPAIGN_STATUSES.map((one) => [one, sentence(one)] as const),
          ]}
        />
      )}
      <List
        {...pages}
        label="Campaigns"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/campaigns/${id}`}
        empty={
          status ? (
            <Empty title={`No campaigns with status “${sentence(status)}”`} />
          ) : (
            <Suspense fallback={<Skeleton />}>
              <FirstCampaign refetch={pages.refetch} />
            </Suspense>
          )
        }
      />
    </Page>
  )
}
