import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { atLeastOne, jurisdictions, lines, ownName, timestamp } from "../platform/http/shapes.ts"
import { brand } from "./brand-contract.ts"

const inDashboard = { access: "session", tag: "Dashboard" } as const
const MAX_ADDRESS_CHARACTERS = 500

/** Any number of lines; blank text becomes null. */
const postalAddress = lines(
  MAX_ADDRESS_CHARACTERS,
  z.string().overwrite((text) => text.replace(/\r\n?/g, "\n").trim()),
)
  .transform((text) => text || null)
  .nullable()
  .describe(
    "With the team's name in the footer of every campaign, and on the unsubscribe page. Many laws require it of marketing mail.",
  )

const fields = z.object({
  name: ownName(200),
  postalAddress,
  trackOpens: z
    .boolean()
    .describe("Whether opens are tracked of mail that does not say so itself. At first not."),
  trackClicks: z.boolean().describe("The same for clicks."),
  brand: brand.nullable(),
  requireSecondFactor: z
    .boolean()
    .describe(
      "Whether sessions need a passkey, or a code beside the password. Only owners change it. API keys are not concerned.",
    ),
})

const team = fields
  .extend({ id: z.string(), postalAddress: z.string().nullable(), createdAt: timestamp })
  .meta({
    id: "Team",
    example: {
      id: exampleId("team"),
      name: "Our team",
      postalAddress: "1 Main Street\n10115 Berlin",
      trackOpens: false,
      trackClicks: true,
      brand: { linkColor: "#0f766e", footerText: "You get this mail as a customer of ours." },
      requireSecondFactor: false,
      createdAt: EXAMPLE_TIME,
    },
  })
export type Team = z.output<typeof team>

export const getTeam = endpoint({
  ...inDashboard,
  name: "team.get",
  call: "GET /team",
  dashboardRole: "member",
  summary: "Read the team and its settings",
  response: team,
})

export const updateTeam = endpoint({
  ...inDashboard,
  name: "team.update",
  call: "PATCH /team",
  summary: "Change the team's name or settings",
  description:
    "Tracking holds for mail that is handed over from now on. Name and postal address hold for campaigns that start from now on, and for the unsubscribe page at once.",
  example: () => ({
    postalAddress: "1 Main Street\n10115 Berlin",
    trackOpens: false,
    trackClicks: true,
  }),
  json: atLeastOne(fields.partial()),
  refuses: {
    forbidden: "Only an owner changes `requireSecondFactor`.",
    conflict: "The owner's own session has no second factor.",
  },
  response: team,
})

export const getInstallation = endpoint({
  ...inDashboard,
  name: "installation",
  call: "GET /installation",
  dashboardRole: "member",
  summary: "Read the settings of the installation, which hold for every team",
  response: z
    .object({
      provider: z.string().describe("Where mail goes. With `sandbox`, nothing leaves."),
      privateWebhooks: z
        .boolean()
        .describe(
          "Whether webhooks may have http URLs and private addresses, as on a developer's machine.",
        ),
      contentRetentionDays: z.number().describe("Days until an email's content is purged."),
      recordRetentionDays: z.number().describe("Days until an email's record is purged."),
      jurisdictions,
    })
    .meta({
      example: {
        provider: "ses",
        privateWebhooks: false,
        contentRetentionDays: 30,
        recordRetentionDays: 365,
        jurisdictions: [null, "eu"],
      },
    }),
})

/** The sender of campaigns, as the footer and the unsubscribe page show it. */
export interface Sender {
  name: string
  postalAddress: string | null
}
