import * as z from "zod"
import { normalizeDomain } from "../../lib/address.ts"
import { endpoint } from "../platform/http/endpoint.ts"
import { EXAMPLE_TIME, exampleId } from "../platform/http/example.ts"
import { pageOf, pageQuery } from "../platform/http/page.ts"
import { parsedBy, timestamp } from "../platform/http/shapes.ts"
import { RECEIVING_MODES } from "./receiving-modes.ts"

export const DOMAIN_STATUSES = ["pending", "verified", "failed"] as const
export const DNS_RECORD_KINDS = [
  "PROOF",
  "DKIM",
  "MAIL_FROM_MX",
  "MAIL_FROM_SPF",
  "DMARC",
  "RECEIVING_MX",
] as const

const recordExample = {
  kind: "MAIL_FROM_MX",
  type: "MX",
  name: "bounce.mail.example.com",
  value: "feedback-smtp.us-east-1.amazonses.com",
  priority: 10,
  ok: false,
}

const dnsRecord = z
  .object({
    kind: z.enum(DNS_RECORD_KINDS),
    type: z.enum(["CNAME", "MX", "TXT"]),
    name: z.string().describe("The whole name, without a dot at its end."),
    value: z.string(),
    priority: z.number().nullable(),
    ok: z.boolean().describe("Whether DNS showed it when it was last looked up."),
  })
  .meta({ id: "DnsRecord", example: recordExample })
export type DnsRecord = z.output<typeof dnsRecord>

const receiving = z
  .object({
    mode: z
      .enum(RECEIVING_MODES)
      .describe(
        "`forward`: each inbox has an address of ours that its mail is forwarded to. `routing`: Cloudflare Email Routing leads the domain's mail here.",
      ),
    status: z
      .enum(["off", "pending", "active", "failed"])
      .describe("`pending` is tried again every two minutes, `failed` needs somebody's hand."),
    records: z.array(dnsRecord).describe("What Email Routing has written into DNS."),
    lastError: z.string().nullable(),
  })
  .describe("Whether the domain takes mail.")
export type Receiving = z.output<typeof receiving>

export const NOT_RECEIVING: Receiving = { mode: "off", status: "off", records: [], lastError: null }

export const domain = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(DOMAIN_STATUSES),
    provider: z.string(),
    region: z.string().nullable(),
    dnsMode: z
      .enum(["auto", "manual"])
      .describe("`auto`: the service wrote the records into the domain's zone at Cloudflare."),
    records: z
      .array(dnsRecord)
      .describe("What to publish in DNS. A DMARC record that is there already is shown as it is."),
    lastError: z.string().nullable(),
    next: z
      .object({
        provider: z.string(),
        records: z.array(dnsRecord),
        verifiedAt: timestamp.nullable(),
        lastError: z.string().nullable(),
      })
      .nullable()
      .describe(
        "While the installation moves to another provider: what to publish besides, and whether that provider has verified it.",
      ),
    receiving,
    createdAt: timestamp,
    verifiedAt: timestamp.nullable(),
  })
  .meta({
    id: "Domain",
    example: {
      id: exampleId("domain"),
      name: "mail.example.com",
      status: "pending",
      provider: "sandbox",
      region: "us-east-1",
      dnsMode: "manual",
      records: [recordExample],
      lastError: null,
      next: null,
      receiving: NOT_RECEIVING,
      createdAt: EXAMPLE_TIME,
      verifiedAt: null,
    },
  })
export type Domain = z.output<typeof domain>

const tag = "Domains"

export const createDomain = endpoint({
  name: "domains.create",
  call: "POST /domains",
  access: "full",
  tag,
  summary: "Add a domain to send from",
  description:
    "Answers the DNS records that prove it. It is checked within a minute, then every 2 minutes for 72 hours. Several teams may wait for one name: the first to prove it has it, and the others fail. The record of kind `PROOF` is asked for with a server of SMTP, below a domain of another team, and where a provider cannot tell which of several teams a domain belongs to.",
  example: () => ({ name: "mail.example.com" }),
  refuses: {
    conflict: "The team has the name, pending or verified, or another team has it verified.",
    not_configured: "The provider's credentials are missing.",
  },
  json: z.object({
    name: z
      .string()
      .trim()
      .max(254)
      .transform(parsedBy(normalizeDomain, "Must be a domain name"))
      .describe("Lower-cased and punycoded; a dot at its end is dropped."),
  }),
  status: 201,
  response: domain,
})

export const listDomains = endpoint({
  name: "domains.list",
  call: "GET /domains",
  access: "full",
  tag,
  summary: "List domains, newest first",
  query: pageQuery,
  response: pageOf(domain),
})

export const getDomain = endpoint({
  name: "domains.get",
  call: "GET /domains/:id",
  access: "full",
  tag,
  summary: "Read a domain and its DNS records",
  response: domain,
})

export const updateDomain = endpoint({
  name: "domains.update",
  call: "PATCH /domains/:id",
  access: "full",
  tag,
  summary: "Take mail to a domain, or take no more",
  description:
    "A domain takes mail once it is verified. `routing` needs its zone in the installation's account at Cloudflare, and no mail server of somebody else at its name: `details.mx` lists those. `off` puts back what Email Routing had before. See [receiving](#receiving).",
  example: () => ({ receiving: "forward" }),
  exampleReply: () => ({ receiving: { ...NOT_RECEIVING, mode: "forward", status: "active" } }),
  refuses: {
    conflict:
      "The domain is not verified; or for `routing`, the token or the zone is missing, or somebody else takes the domain's mail.",
  },
  json: z.object({ receiving: z.enum(RECEIVING_MODES) }),
  response: domain,
})

export const verifyDomain = endpoint({
  name: "domains.verify",
  call: "POST /domains/:id/verify",
  access: "full",
  tag,
  summary: "Check a domain at once",
  description: "A failed domain gets a fresh window of 72 hours.",
  exampleReply: () => ({
    status: "verified",
    records: [{ ...recordExample, ok: true }],
    verifiedAt: EXAMPLE_TIME,
  }),
  refuses: {
    conflict:
      "The domain had failed, and the team has its name in another row, or another team has it verified.",
    not_configured: "The provider's credentials are missing.",
  },
  retryable: true,
  response: domain,
})

export const deleteDomain = endpoint({
  name: "domains.delete",
  call: "DELETE /domains/:id",
  access: "full",
  tag,
  summary: "Delete a domain",
  refuses: { conflict: "The domain has inboxes." },
  description:
    "Answers 204, or 200 with the number of records that the service had written into DNS and could not take out again.",
  status: 204,
  alsoStatus: 200,
  response: z
    .object({ leftoverDnsRecords: z.number() })
    .meta({ example: { leftoverDnsRecords: 2 } }),
})
