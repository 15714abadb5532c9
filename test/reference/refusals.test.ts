import { afterAll, beforeAll, expect, it } from "vitest"
import { shownRefusal, wrongQuery } from "../../src/reference/refusal.ts"
import { dashboardEndpoints, endpoints } from "../../src/worker/contract.ts"
import type { Endpoint } from "../../src/worker/platform/http/endpoint.ts"
import { request } from "../support/api.ts"
import { makeCampaign } from "../support/campaign.ts"
import { eventually } from "../support/eventually.ts"
import { fakeInternet, type Internet } from "../support/internet.ts"
import { sessionOf } from "../support/session.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { examples, inAnHour, message } from "../worker/platform/http/examples.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})
afterAll(() => internet.restore())

interface Attempt {
  path: string
  body?: unknown
}

/** A call of these must be made ready before it is refused as the reference shows. */
const READY: Record<string, (team: Team) => Promise<Attempt> | Attempt> = {
  "emails.send": async (team) => {
    await team.api.post("/emails", {
      ...message(team),
      to: "bounce@simulator.amazonses.com",
    })
    const to = "bounce@simulator.amazonses.com"
    await eventually(async () => {
      const { body } = await team.api.get("/suppressions")
      expect(body.data.map(({ email }: { email: string }) => email)).toContain(to)
    })
    return { path: "/emails", body: { ...message(team), to } }
  },
  "emails.batch": (team) => ({
    path: "/emails/batch",
    body: [message(team), { ...message(team), from: "a@example.com" }],
  }),
  "emails.sendRaw": () => ({
    path: "/emails/raw?to=ada%40example.com",
    body: "Subject: Hello\r\n\r\nHello",
  }),
  "emails.reschedule": async (team) => {
    const { body } = await team.api.post("/emails", { ...message(team), scheduledAt: inAnHour() })
    await team.api.post(`/emails/${body.id}/cancel`)
    return { path: `/emails/${body.id}`, body: { scheduledAt: inAnHour() } }
  },
  "emails.cancel": async (team) => {
    const { body } = await team.api.post("/emails", message(team))
    await eventually(async () => {
      expect((await team.api.get(`/emails/${body.id}`)).body.status).toBe("delivered")
    })
    return { path: `/emails/${body.id}/cancel` }
  },
  "apiKeys.create": () => ({ path: "/api-keys", body: { name: "CI", domainId: "dom_none" } }),
  "domains.create": async ({ api }) => {
    const body = { name: "mail.example.com" }
    await api.post("/domains", body)
    return { path: "/domains", body }
  },
  "templates.create": async ({ api }) => {
    const body = { slug: "welcome", name: "Welcome", subject: "Hi", bodyHtml: "<p>Hi</p>" }
    await api.post("/templates", body)
    return { path: "/templates", body }
  },
  "templates.discardDraft": () => ({ path: "/templates/unknown/draft?revision=q8Zk3vXyLw2T" }),
  "templates.render": async ({ api }) => {
    const template = { slug: "hi", name: "Hi", subject: "Hi {{ name }}", bodyHtml: "<p>Hi</p>" }
    await api.post("/templates", template)
    return { path: "/templates/hi/render", body: {} }
  },
  "contacts.create": async ({ api }) => {
    const book = await api.post("/contact-books", { name: "Readers" })
    const path = `/contact-books/${book.body.id}/contacts`
    await api.post(path, { email: "ada@example.com" })
    return { path, body: { email: "ada@example.com" } }
  },
  "campaigns.sendNow": async (team) => {
    const path = `/campaigns/${await makeCampaign(team)}`
    await team.api.post(`${path}/send`)
    await eventually(async () => expect((await team.api.get(path)).body.status).toBe("sent"))
    return { path: `${path}/send` }
  },
  "receivedEmails.create": () => ({
    path: "/received-emails?to=nobody%40example.com",
    body: "Subject: Hello\r\n\r\nHello",
  }),
  "deliveries.several": () => ({ path: "/webhooks/unknown/delivery-rows?ids=whd_unknown" }),
  "webhooks.test": async ({ api }) => {
    const hook = { url: "https://receiver.example.com/hook", events: ["email.sent"] }
    const { body } = await api.post("/webhooks", hook)
    await api.patch(`/webhooks/${body.id}`, { enabled: false })
    return { path: `/webhooks/${body.id}/test` }
  },
}

/** Without a page, then of something unknown, then without members: as the reference chooses. */
async function attempt(endpoint: Endpoint, team: Team): Promise<Attempt> {
  const { name, method, path, perItem } = endpoint
  const ready = READY[name]
  if (ready) return ready(team)
  const example = await examples[`${method} ${path}`]?.(team)
  const known = example?.path.split("?")[0] ?? path
  const wrong = wrongQuery(endpoint)
  if (wrong) return { path: `${known}?${wrong.join("=")}` }
  const at = path.split("/").findLastIndex((part) => part.startsWith(":"))
  if (at < 0) return { path: known, body: perItem ? [{}] : {} }
  const parts = known.split("/")
  parts[at] = "unknown"
  return { path: parts.join("/"), body: example?.body ?? endpoint.example?.() }
}

const named = (list: readonly Endpoint[]) =>
  list.filter(shownRefusal).map((one) => [one.name, one] as const)

const asShown = (body: unknown, team: Team) =>
  JSON.parse(
    JSON.stringify(body)
      .replace("bounce@simulator.amazonses.com", "ada@example.com")
      .replace(team.domain, "mail.example.com"),
  )

it.each(named(endpoints))("%s is refused as the reference shows", async (_name, one) => {
  const team = await makeTeam()
  const { path, body } = await attempt(one, team)
  const headers = { authorization: `Bearer ${team.api.key}` }
  const reply = await request(one.method, `/api/v1${path}`, body, headers)
  expect({ status: reply.status, body: asShown(reply.body, team) }).toEqual(shownRefusal(one))
})

it.each(named(dashboardEndpoints))(
  "%s is refused to the dashboard as shown",
  async (_name, one) => {
    const team = await makeTeam()
    const cookie = await sessionOf(team.id, "owner")
    const { path, body } = await attempt(one, team)
    const reply = await request(one.method, `/dashboard/api${path}`, body, { cookie })
    expect({ status: reply.status, body: reply.body }).toEqual(shownRefusal(one))
  },
)

it("every refusal belongs to an endpoint that exists", () => {
  const known = [...endpoints, ...dashboardEndpoints].map(({ name }) => name)
  expect(Object.keys(READY).filter((name) => !known.includes(name))).toEqual([])
})
