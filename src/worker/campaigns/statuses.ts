export const CAMPAIGN_STATUSES = ["draft", "scheduled", "sending", "sent", "cancelled"] as const
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number]

/** The counters of a campaign. Each counts a recipient once. */
export const CAMPAIGN_COUNTS = [
  "recipients",
  "sent",
  "delivered",
  "opened",
  "clicked",
  "replied",
  "unsubscribed",
  "bounced",
  "complained",
  "failed",
] as const
export type CountName = (typeof CAMPAIGN_COUNTS)[number]
