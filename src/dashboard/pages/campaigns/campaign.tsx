import { useQuery } from "@tanstack/react-query"
import { lazy, Suspense, useState } from "react"
import { useParam } from "../../app/params.ts"
import { Page } from "../../ui/page.tsx"
import { Loaded, Skeleton } from "../../ui/waiting.tsx"
import { campaignQuery } from "./data.ts"

const DraftCampaign = lazy(() => import("./draft-campaign.tsx"))
const Report = lazy(() => import("./report.tsx"))

export default function CampaignPage() {
  const id = useParam("id")
  const query = useQuery(campaignQuery(id))
  const [editing, setEditing] = useState("")
  return (
    <Loaded query={query}>
      {(campaign) => (
        <Suspense
          fallback={
            <Page title={campaign.name}>
              <Skeleton />
            </Page>
          }
        >
          {campaign.status === "draft" || (campaign.status === "scheduled" && editing === id) ? (
            <DraftCampaign key={id} campaign={campaign} />
          ) : (
            <Report key={id} campaign={campaign} onEdit={() => setEditing(id)} />
          )}
        </Suspense>
      )}
    </Loaded>
  )
}
