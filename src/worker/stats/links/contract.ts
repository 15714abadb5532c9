import * as z from "zod"
import { endpoint } from "../../platform/http/endpoint.ts"
import { pageOf, pageQuery } from "../../platform/http/page.ts"

/** The links of a campaign or template that are counted apart. A page of them reads all. */
export const MAX_LINKS = 1_000

const link = z
  .object({
    url: z
      .string()
      .nullable()
      .describe(
        "An address in it is `{address}`, so that the link is the same for every recipient. Null: all links beyond the first 1,000.",
      ),
    clicks: z.int().describe("Recorded clicks."),
    recipients: z.int().describe("The emails that were clicked."),
  })
  .meta({
    id: "LinkClicks",
    example: { url: "https://example.com/news", clicks: 52, recipients: 40 },
  })
export type LinkClicks = z.output<typeof link>

const shared = {
  access: "full",
  description: "Counted as clicks come in.",
  query: pageQuery,
} as const

export const listCampaignLinks = endpoint({
  ...shared,
  name: "campaigns.links",
  call: "GET /campaigns/:id/links",
  tag: "Campaigns",
  summary: "List the links of a campaign, most clicks first",
  response: pageOf(link),
})

export const listTemplateLinks = endpoint({
  ...shared,
  name: "templates.links",
  call: "GET /templates/:slugOrId/links",
  tag: "Templates",
  summary: "List the links of a template's emails, most clicks first",
  response: pageOf(link).meta({ id: "TemplateLinkClicksPage" }),
})
