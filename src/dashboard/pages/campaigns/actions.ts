import type { Campaign } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries } from "../../api/queries.ts"
import { campaignQuery } from "./data.ts"

/** Shows the campaign of a reply. */
export function keep(campaign: Campaign): Campaign {
  queries.setQueryData(campaignQuery(campaign.id).queryKey, campaign)
  queries.invalidateQueries({ queryKey: ["campaigns"], refetchType: "none" })
  return campaign
}

export async function duplicateCampaign(campaign: Campaign): Promise<Campaign> {
  const { name, bookId, segmentId, topicId, domainId, from, replyTo, subject } = campaign
  const { preheader, blocks, theme } = campaign
  const { mergeDefaults, headerLayoutId, footerLayoutId, trackOpens, trackClicks, brake } = campaign
  return keep(
    await api.campaigns.create({
      name: `Copy of ${name}`.slice(0, 200),
      bookId,
      segmentId,
      topicId,
      domainId,
      from,
      replyTo,
      subject,
      preheader,
      blocks,
      theme,
      mergeDefaults,
      headerLayoutId,
      footerLayoutId,
      trackOpens,
      trackClicks,
      brake,
    }),
  )
}
