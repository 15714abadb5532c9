import { useNavigate } from "@tanstack/react-router"
import { Ellipsis } from "lucide-react"
import { useState } from "react"
import type { Campaign } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { useMay } from "../../app/people.ts"
import { IconButton } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Menu } from "../../ui/menu.tsx"
import { say, sayError } from "../../ui/toast.tsx"
import { duplicateCampaign } from "./actions.ts"

/** Duplicate and delete. */
export function CampaignMenu({ campaign }: { campaign: Campaign }) {
  const [deleting, setDeleting] = useState(false)
  const navigate = useNavigate()
  const may = useMay()
  const duplicate = async () => {
    const copy = await duplicateCampaign(campaign)
    await navigate({ to: `/campaigns/${copy.id}` })
    say("Duplicated: this is the copy")
  }
  const remove = async () => {
    await api.campaigns.remove(campaign.id)
    queries.removeQueries({ queryKey: ["campaigns", "one", campaign.id] })
    queries.invalidateQueries({ queryKey: ["campaigns"] })
    await navigate({ to: "/campaigns" })
    say("Campaign deleted")
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
        items={[
          { label: "Duplicate", onSelect: () => void duplicate().catch(sayError) },
          may.manage &&
            campaign.status !== "sending" && {
              label: "Delete campaign",
              danger: true,
              onSelect: () => setDeleting(true),
            },
        ]}
      />
      <Confirm
        open={deleting}
        onOpenChange={setDeleting}
        title="Delete campaign"
        description="It cannot be brought back. Emails that were sent from it stay."
        action="Delete campaign"
        typed={campaign.name}
        onConfirm={remove}
      />
    </>
  )
}
