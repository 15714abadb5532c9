import type { Campaign } from "../../../client/types.ts"
import { pick } from "../../../lib/pick.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { campaignQuery } from "./data.ts"

/** Shows the campaign of a reply. */
export function keep(campaign: Campaign): Campaign {
  queries.setQueryData(campaignQuery(campaign.id).queryKey, campaign)
  queries.invalidateQueries({ queryKey: ["campaigns"], refetchType: "none" })
  return campaign
}

/** What somebody chooses for a campaign, beside its blocks and its theme. */
export const CHOSEN = [
  "name",
  "bookId",
  "segmentId",
  "topicId",
  "from",
  "replyTo",
  "subject",
  "preheader",
  "mergeDefaults",
  "headerLayoutId",
  "footerLayoutId",
  "trackOpens",
  "trackClicks",
  "brake",
] as const satisfies (keyof Campaign)[]

export async function duplicateCampaign(campaign: Campaign): Promise<Campaign> {
  const content = pick(campaign, [...CHOSEN, "domainId", "blocks", "theme"])
  const name = `Copy of ${campaign.name}`.slice(0, 200)
  return keep(await api.campaigns.create({ ...content, name }))
}
