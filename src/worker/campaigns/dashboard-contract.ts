import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf } from "../platform/http/page.ts"
import { CAMPAIGN_COUNTS, campaign, listCampaigns } from "./contract.ts"

const campaignRow = campaign
  .pick({
    ...{ id: true, name: true, status: true, pausedReason: true },
    ...{ scheduledAt: true, sentAt: true, updatedAt: true, counts: true },
  })
  .meta({
    id: "CampaignRow",
    example: {
      ...{ id: exampleId("campaign"), name: "November news", status: "draft", pausedReason: null },
      ...{ scheduledAt: null, sentAt: null, updatedAt: EXAMPLE_TIME },
      counts: Object.fromEntries(CAMPAIGN_COUNTS.map((name) => [name, 0])),
    },
  })

export const listCampaignRows = endpoint({
  name: "campaigns.rows",
  call: "GET /campaign-rows",
  access: "session",
  dashboardRole: "member",
  tag: "Campaigns",
  summary: "List campaigns without their contents, newest first",
  query: listCampaigns.query,
  response: pageOf(campaignRow),
})
