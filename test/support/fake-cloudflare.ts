import type { RoutingRule } from "../../src/worker/providers/cloudflare/email-routing.ts"
import type { Handler } from "./outside.ts"

export const CLOUDFLARE_HOST = "api.cloudflare.com"

export interface ZoneRecord {
  id: string
  type: string
  name: string
  content: string
  [field: string]: unknown
}

export interface FakeCloudflare {
  dns: ZoneRecord[]
  sending: { tag: string; name: string; enabled: boolean }[]
  catchAll: RoutingRule
  rules: RoutingRule[]
  /** Answers instead of the API, where it returns something. */
  refuse(method: string, path: string): Response | null
  handler: Handler
}

/** Cloudflare's API, as far as zones, their DNS records, Email Sending and Email Routing go. */
export function makeFakeCloudflare(zoneName: string): FakeCloudflare {
  const fake: FakeCloudflare = {
    dns: [],
    sending: [],
    catchAll: { enabled: false, matchers: [{ type: "all" }], actions: [{ type: "drop" }] },
    rules: [],
    refuse: () => null,
    handler: async (request) => {
      const url = new URL(request.url)
      const path = url.pathname.replace("/client/v4", "")
      const refused = fake.refuse(request.method, path)
      if (refused) return refused
      if (request.headers.get("authorization") !== "Bearer cf-token") return fail(403, "Forbidden")
      if (path === "/zones") {
        return result(url.searchParams.get("name") === zoneName ? [{ id: "zone-1" }] : [])
      }
      const text = await request.text()
      const body = text === "" ? {} : JSON.parse(text)
      if (path.startsWith("/zones/zone-1/dns_records")) return dns(request.method, url, body)
      if (path.startsWith("/zones/zone-1/email/routing/dns")) return routing(request.method, body)
      if (path.startsWith("/zones/zone-1/email/routing/rules")) {
        return rules(request.method, path, body)
      }
      return sending(request.method, path, body)
    },
  }

  /** The records of a subdomain by its name, and those of the zone without one. */
  function routing(method: string, { name = zoneName }: { name?: string }): Response {
    if (name !== zoneName && !name.endsWith(`.${zoneName}`)) return fail(400, "Not in the zone")
    const isOwn = ({ type, name: at, content }: ZoneRecord) =>
      type === "MX" && at === name && content.endsWith(".mx.cloudflare.net")
    fake.dns = fake.dns.filter((record) => !isOwn(record))
    if (method === "POST") {
      for (const number of [1, 2, 3]) {
        const content = `route${number}.mx.cloudflare.net`
        const record = { type: "MX", name, content, priority: number * 10 }
        fake.dns.push({ id: `${name}-${number}`, ...record })
      }
    }
    return result({ enabled: method === "POST" })
  }

  function rules(method: string, path: string, body: RoutingRule): Response {
    const id = path.split("/").at(-1)
    if (id === "catch_all") {
      if (method === "PUT") fake.catchAll = body
      return result(fake.catchAll)
    }
    if (method === "POST") {
      const isKnown = fake.rules.some((rule) => addressOf(rule) === addressOf(body))
      if (isKnown) return fail(409, "Duplicated Zone rule")
      if (addressOf(body)?.startsWith("*")) return fail(400, "Invalid rule")
      fake.rules.push({ ...body, id: `rule-${crypto.randomUUID()}` })
    }
    if (method === "DELETE") fake.rules = fake.rules.filter((rule) => rule.id !== id)
    return result(fake.rules)
  }

  function dns(method: string, url: URL, body: Record<string, string>): Response {
    const id = url.pathname.split("/").at(-1)
    if (method === "DELETE") {
      const index = fake.dns.findIndex((record) => record.id === id)
      if (index < 0) return fail(404, "Record not found")
      return result(fake.dns.splice(index, 1))
    }
    if (method === "POST") {
      const record = { ...body, id: `record-${fake.dns.length + 1}` } as ZoneRecord
      fake.dns.push(record)
      return result(record)
    }
    const { searchParams } = url
    return result(
      fake.dns.filter(
        ({ type, name }) => type === searchParams.get("type") && name === searchParams.get("name"),
      ),
    )
  }

  function sending(method: string, path: string, body: Record<string, string>): Response {
    const [, , , , , , tag, more] = path.split("/")
    if (more === "dns") {
      const name = fake.sending.find((one) => one.tag === tag)?.name
      return result([
        {
          type: "MX",
          name: `cf-bounce.${name}`,
          content: "route1.mx.cloudflare.net",
          priority: 10,
        },
        {
          type: "TXT",
          name: `cf-bounce.${name}`,
          content: '"v=spf1 include:_spf.mx.cloudflare.net ~all"',
        },
        { type: "TXT", name: `cf-bounce._domainkey.${name}`, content: '"v=DKIM1; p=abc"' },
        { type: "TXT", name: `_dmarc.${name}`, content: '"v=DMARC1; p=reject"' },
      ])
    }
    if (method === "DELETE") {
      fake.sending = fake.sending.filter((one) => one.tag !== tag)
      return result(null)
    }
    if (method === "POST") {
      const domain = { tag: `tag-${body.name}`, name: body.name as string, enabled: false }
      fake.sending.push(domain)
      return result(domain)
    }
    return result(fake.sending)
  }

  return fake
}

const addressOf = ({ matchers }: RoutingRule) => matchers?.[0]?.value

const result = (value: unknown) => Response.json({ success: true, result: value })

const fail = (status: number, message: string) =>
  Response.json({ success: false, errors: [{ message }] }, { status })
