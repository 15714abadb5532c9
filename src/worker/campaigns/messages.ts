export interface CampaignRef {
  teamId: string
  campaignId: string
}

/** A hint of the queue `campaigns`. */
export interface CampaignsMessage {
  kind: "campaigns"
  campaigns: CampaignRef[]
}
