import { useNavigate } from "@tanstack/react-router"
import type { Campaign } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries, refresh } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { MoreMenu } from "../../ui/menu/more-menu.tsx"
import type { AsRequest } from "../../ui/request/request-codes.ts"
import { say, sayError } from "../../ui/toast.tsx"
import { duplicateCampaign } from "./actions.ts"

export function CampaignMenu({ campaign, request }: { campaign: Campaign; request: AsRequest }) {
  const navigate = useNavigate()
  const may = useMay()
  const duplicate = async () => {
    const copy = await duplicateCampaign(campaign)
    await navigate({ to: `/campaigns/${copy.id}` })
    say("Campaign duplicated. This is the copy.")
  }
  const remove = async () => {
    await api.campaigns.remove(campaign.id)
    queries.removeQueries({ queryKey: ["campaigns", "one", campaign.id] })
    refresh("campaigns")
    await navigate({ to: "/campaigns" })
    say("Campaign deleted")
  }
  return (
    <MoreMenu
      request={request}
      items={[{ label: "Duplicate", onSelect: () => void duplicate().catch(sayError) }]}
      deletion={
        may.manage &&
        campaign.status !== "sending" && {
          action: "Delete campaign",
          description: "This cannot be undone. Emails already sent are kept.",
          typed: campaign.name,
          onConfirm: remove,
        }
      }
    />
  )
}
