import { useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { lazy } from "../../app/lazy.ts"
import { Link } from "../../app/link.tsx"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { LoadedPage, Skeleton } from "../../ui/waiting.tsx"
import { campaignQuery } from "./data.ts"

const DraftCampaign = lazy(() => import("./draft/draft-campaign.tsx"))
const Report = lazy(() => import("./sent/report.tsx"))

export default function CampaignPage() {
  const id = useParam("id")
  const query = useQuery(campaignQuery(id))
  const [editing, setEditing] = useState("")
  return (
    <LoadedPage query={query} title="Campaign" above={<Link to="/campaigns">Campaigns</Link>}>
      {(campaign) => (
        <Suspense
          fallback={
            <Page title={campaign.name} above={<Link to="/campaigns">Campaigns</Link>}>
              <Skeleton />
            </Page>
          }
        >
          {campaign.status === "draft" ||
          (campaign.status === "scheduled" && editing === campaign.updatedAt) ? (
            <DraftCampaign key={id} campaign={campaign} />
          ) : (
            <Report key={id} campaign={campaign} onEdit={() => setEditing(campaign.updatedAt)} />
          )}
        </Suspense>
      )}
    </LoadedPage>
  )
}
