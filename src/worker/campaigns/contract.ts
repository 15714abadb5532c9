import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { OTHER_DOMAIN } from "../platform/http/errors.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import {
  atLeastOne,
  dictionary,
  lines,
  mailbox,
  timestamp,
  title,
} from "../platform/http/shapes.ts"
import { campaignBlocks, theme } from "./blocks/contract.ts"
import { MERGE_FIELD } from "./blocks/merge.ts"
import { envelope } from "./envelope-contract.ts"
import { CAMPAIGN_COUNTS, CAMPAIGN_STATUSES, type CountName } from "./statuses.ts"

export { CAMPAIGN_COUNTS, CAMPAIGN_STATUSES, type CampaignStatus } from "./statuses.ts"

const MAX_MERGE_DEFAULTS = 100

const mergeDefaults = dictionary(
  z.string().regex(MERGE_FIELD, "Must be firstName, lastName, email or properties.<name>"),
  lines(2_000),
  MAX_MERGE_DEFAULTS,
)

const fields = z.object({
  name: envelope.shape.name,
  bookId: envelope.shape.bookId,
  segmentId: z
    .string()
    .nullable()
    .describe("A segment of the book: it goes only to contacts that match when it starts."),
  topicId: z
    .string()
    .nullable()
    .describe(
      "It goes only to contacts that want this topic, by choice or by the topic's default.",
    ),
  domainId: z.string(),
  from: envelope.shape.from,
  replyTo: mailbox.nullable(),
  subject: envelope.shape.subject,
  preheader: title(200)
    .nullable()
    .describe(
      "What inboxes show beside the subject; may contain merge fields. Null: the start of the first text.",
    ),
  blocks: campaignBlocks,
  theme: theme.nullable(),
  mergeDefaults: mergeDefaults
    .nullable()
    .describe("What stands where a contact has no value: `firstName`, `properties.city`."),
  headerLayoutId: z.string().nullable(),
  footerLayoutId: z.string().nullable(),
  trackOpens: z.boolean().nullable().describe("Null: as the team's setting says."),
  trackClicks: z.boolean().nullable().describe("The same for clicks."),
  brake: z
    .boolean()
    .describe(
      "Starts with 1 % and then 10 % of the book, and pauses by itself when their bounces or complaints reach an alert's rate.",
    ),
})

const inputExample = {
  name: "November news",
  bookId: exampleId("contactBook"),
  domainId: exampleId("domain"),
  from: "News <news@demo.test>",
  subject: "Hello {{ firstName }}",
  blocks: [
    { kind: "heading", level: 1, text: "What is new" },
    { kind: "text", html: "Hello <strong>{{ firstName }}</strong> in {{ properties.city }}." },
    { kind: "button", label: "Read on", url: "https://example.com/news" },
  ],
  mergeDefaults: { firstName: "reader", "properties.city": "your city" },
}

const campaignExample = {
  id: exampleId("campaign"),
  status: "draft",
  ...inputExample,
  segmentId: null,
  topicId: null,
  replyTo: null,
  preheader: null,
  theme: null,
  headerLayoutId: null,
  footerLayoutId: null,
  trackOpens: null,
  trackClicks: null,
  brake: false,
  scheduledAt: null,
  sentAt: null,
  pausedReason: null,
  counts: Object.fromEntries(CAMPAIGN_COUNTS.map((name) => [name, 0])),
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
}

export const campaign = fields
  .extend({
    id: z.string(),
    status: z.enum(CAMPAIGN_STATUSES),
    from: z.string(),
    replyTo: z.string().nullable(),
    mergeDefaults: z.record(z.string(), z.string()).nullable(),
    scheduledAt: timestamp.nullable(),
    sentAt: timestamp.nullable().describe("When every recipient had been queued."),
    pausedReason: z.string().nullable().describe("Why it waits for a person."),
    counts: z.object(
      Object.fromEntries(CAMPAIGN_COUNTS.map((name) => [name, z.int()])) as Record<
        CountName,
        z.ZodInt
      >,
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Campaign", example: campaignExample })
export type Campaign = z.output<typeof campaign>

const tag = "Campaigns"

const contentRefusals = {
  validation_error:
    "Also an unknown book, segment, topic, domain or layout: `details.field` names it.",
  forbidden: OTHER_DOMAIN,
  domain_not_verified: "The domain is not verified, or `from` is not on it.",
}

export const createCampaign = endpoint({
  name: "campaigns.create",
  call: "POST /campaigns",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Create a campaign",
  description: "Sends nothing.",
  example: () => inputExample,
  refuses: contentRefusals,
  json: fields.extend({
    segmentId: fields.shape.segmentId.default(null),
    topicId: fields.shape.topicId.default(null),
    replyTo: fields.shape.replyTo.default(null),
    preheader: fields.shape.preheader.default(null),
    theme: fields.shape.theme.default(null),
    mergeDefaults: fields.shape.mergeDefaults.default(null),
    headerLayoutId: fields.shape.headerLayoutId.default(null),
    footerLayoutId: fields.shape.footerLayoutId.default(null),
    trackOpens: fields.shape.trackOpens.default(null),
    trackClicks: fields.shape.trackClicks.default(null),
    brake: fields.shape.brake.default(false),
  }),
  status: 201,
  response: campaign,
})

export const listCampaigns = endpoint({
  name: "campaigns.list",
  call: "GET /campaigns",
  access: "full",
  tag,
  summary: "List campaigns, newest first",
  query: pageQuery.extend({ status: z.enum(CAMPAIGN_STATUSES).optional() }),
  response: pageOf(campaign),
})

export const getCampaign = endpoint({
  name: "campaigns.get",
  call: "GET /campaigns/:id",
  access: "full",
  tag,
  summary: "Read a campaign",
  response: campaign,
})

export const updateCampaign = endpoint({
  name: "campaigns.update",
  call: "PATCH /campaigns/:id",
  access: "full",
  dashboardRole: "member",
  tag,
  summary: "Change a campaign that is a draft or scheduled",
  description: "A change of a scheduled campaign makes it a draft again.",
  example: () => ({ subject: "News for {{ firstName }}", theme: { font: "serif" } }),
  refuses: { ...contentRefusals, conflict: "It is neither a draft nor scheduled." },
  json: atLeastOne(fields.partial()),
  response: campaign,
})

export const deleteCampaign = endpoint({
  name: "campaigns.remove",
  call: "DELETE /campaigns/:id",
  access: "full",
  tag,
  summary: "Delete a campaign",
  description:
    "Not while it is being sent. Its emails stay, and those that are still queued are sent.",
  refuses: { conflict: "It is `sending`." },
})

/** An audience looks for erased addresses among so many contacts. */
export const NEWEST_HASHED = 5_000

export const getAudience = endpoint({
  name: "campaigns.audience",
  call: "GET /campaigns/:id/audience",
  access: "full",
  tag,
  summary: "Count whom a campaign would be sent to",
  description: `Erased addresses that come back get no mail. They count as suppressed among the newest ${NEWEST_HASHED.toLocaleString("en")} contacts of the book.`,
  response: z
    .object({
      contacts: z.int(),
      subscribed: z.int(),
      suppressed: z.int().describe("Of all contacts of the book."),
      eligible: z
        .int()
        .describe(
          "Subscribed, not suppressed and, for a campaign with a segment or a topic, of that segment and willing to get that topic.",
        ),
    })
    .meta({ example: { contacts: 120, subscribed: 110, suppressed: 4, eligible: 107 } }),
})
