import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME } from "../platform/http/example.ts"
import { timestamp } from "../platform/http/shapes.ts"
import { DNS_RECORD_KINDS } from "./contract.ts"

const example = {
  simulated: false,
  records: [
    {
      kind: "MAIL_FROM_MX",
      name: "bounce.mail.example.com",
      found: ["10 mail.example.com"],
      ok: false,
    },
  ],
  zone: {
    name: "example.com",
    nameServers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
    host: { name: "Cloudflare", url: "https://dash.cloudflare.com" },
  },
  isInAccount: true,
  nextCheckAt: EXAMPLE_TIME,
  checkedUntil: EXAMPLE_TIME,
}

export const lookUpDomain = endpoint({
  name: "domains.dns",
  call: "GET /domains/:id/dns",
  access: "session",
  dashboardRole: "member",
  tag: "Domains",
  summary: "Look up what DNS shows for a domain now",
  description:
    "Changes nothing: a check does. `zone` is null if DNS did not answer. With the sandbox, `simulated` is true, and only a proof is looked up: it needs no other record.",
  response: z
    .object({
      simulated: z.boolean(),
      records: z
        .array(
          z.object({
            kind: z.enum(DNS_RECORD_KINDS),
            name: z.string(),
            found: z
              .array(z.string())
              .nullable()
              .describe("The first ten values of the name and type; null without an answer."),
            ok: z.boolean().describe("Whether the record is there now."),
          }),
        )
        .describe("The domain's records, in their order."),
      zone: z
        .object({
          name: z.string(),
          nameServers: z.array(z.string()),
          host: z
            .object({ name: z.string(), url: z.string() })
            .nullable()
            .describe("Who runs the name servers, if that is known, and where its DNS is edited."),
        })
        .nullable(),
      isInAccount: z
        .boolean()
        .describe(
          "Whether the service can write the records of this pending domain: its zone is in the installation's account at Cloudflare.",
        ),
      nextCheckAt: timestamp.nullable(),
      checkedUntil: timestamp.nullable().describe("When a pending domain fails."),
    })
    .meta({ example }),
})

export const addDnsRecords = endpoint({
  name: "domains.addRecords",
  call: "POST /domains/:id/dns",
  access: "session",
  dashboardRole: "admin",
  tag: "Domains",
  summary: "Write a domain's records into its zone at Cloudflare",
  description: "Records that are there stay as they are. Deleting the domain deletes those added.",
  response: z
    .object({
      isInAccount: z
        .boolean()
        .describe("False if the zone is not in the installation's account: nothing was added."),
      added: z.number(),
    })
    .meta({ example: { isInAccount: true, added: 6 } }),
})
