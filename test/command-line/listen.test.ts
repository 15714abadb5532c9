import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { expect, it, vi } from "vitest"
import { createWebhookHandler } from "../../src/client/receiver.ts"
import { run } from "../../src/command-line/program.ts"
import { eventually } from "../support/eventually.ts"
import { type FakeApi, page, refuse, startApi } from "./fake-api.ts"
import { KEY, runCommand } from "./run.ts"
import { EMAIL, teamEvent } from "./samples.ts"

const WEBHOOK = { id: "wh_1", url: "https://example.com/hook", enabled: false }

/** An API whose team has events up to number 6, and then those that `happen` adds. */
async function startTeam(routes: Parameters<typeof startApi>[0] = {}) {
  const events: ReturnType<typeof teamEvent>[] = []
  const api = await startApi({
    "GET /webhooks": () => page(WEBHOOK),
    "GET /event-position": () => ({ after: 6 }),
    "GET /events": ({ query }) => {
      const data = events.filter(({ sequence }) => sequence > Number(query.after))
      return { data, nextAfter: data.at(-1)?.sequence ?? Number(query.after) }
    },
    ...routes,
  })
  const happen = (type: string, data: object) =>
    events.push(teamEvent(type, 7 + events.length, data))
  return { api, happen }
}

function listen(api: FakeApi, ...args: string[]) {
  const typed = new Readable({ read() {} })
  const stop = new AbortController()
  const printed: string[] = []
  const errors: string[] = []
  const done = run(["listen", ...args], {
    input: typed,
    output: { write: (line) => printed.push(String(line)) },
    errors: { write: (line) => errors.push(String(line)) },
    env: { SVC_API_KEY: KEY, SVC_BASE_URL: api.baseUrl },
    signal: stop.signal,
  })
  return { typed, printed, errors, done, stop: () => stop.abort() }
}

it("shows every event of the team that happens from then on", async () => {
  const { api, happen } = await startTeam()
  const listening = listen(api)
  await eventually(() => expect(api.asked.at(-1)).toMatchObject({ query: { after: "6" } }))
  happen("email.bounced", { email: EMAIL })
  happen("contact.created", { contact: { email: "grace@example.com" } })
  happen("domain.verified", { domain: { name: "example.com" } })
  happen("campaign.sent", { campaign: { name: "News" } })
  await eventually(() => expect(listening.printed).toHaveLength(4))
  expect(listening.printed.join("")).toMatch(
    /email.bounced +ada@example.com {2}Hi {2}em_1 {2}evt_7\n.*contact.created +grace@.*\n.*domain.verified +example.com .*\n.*campaign.sent +News/,
  )
  listening.stop()
  expect(await listening.done).toBe(0)
})

it("shows received mail and steps of sequences with what they are about", async () => {
  const { api, happen } = await startTeam()
  const listening = listen(api)
  await eventually(() => expect(api.asked.at(-1)).toMatchObject({ query: { after: "6" } }))
  const from = { email: "grace@example.com", name: "Grace" }
  happen("email.received", { received: { id: "rcv_1", from, subject: "Where is it?" } })
  happen("sequence.reached", {
    ...{ sequence: { name: "Welcome" }, run: { contactId: "ct_1" }, stepKey: "tell" },
  })
  await eventually(() => expect(listening.printed).toHaveLength(2))
  listening.stop()
  await listening.done
  expect(listening.printed.join("")).toMatch(
    /email.received +grace@example.com {2}Where is it\? {2}rcv_1 .*\n.*sequence.reached +Welcome {2}ct_1 {2}tell /,
  )
})

it("shows the asked types alone", async () => {
  const { api, happen } = await startTeam()
  happen("email.sent", { email: EMAIL })
  happen("contact.updated", { contact: { email: "grace@example.com" } })
  happen("email.bounced", { email: EMAIL })
  const listening = listen(api, "--events", "contact.*,email.bounced", "--json")
  await eventually(() => expect(listening.printed).toHaveLength(2))
  listening.stop()
  await listening.done
  const types = listening.printed.map((line) => JSON.parse(line).type)
  expect(types).toEqual(["contact.updated", "email.bounced"])
  expect((await runCommand(api, ["listen", "--events", "email.nope"])).code).toBe(2)
})

it("makes a disabled webhook for a team without one, and removes it at the end", async () => {
  const { api } = await startTeam({
    "GET /webhooks": () => page(),
    "POST /webhooks": () => ({ id: "wh_2", secret: "whsec_2" }),
    "PATCH /webhooks/:id": () => WEBHOOK,
    "DELETE /webhooks/:id": () => undefined,
  })
  const listening = listen(api)
  await eventually(() => expect(api.asked.at(-1)?.path).toBe("/events"))
  const made = api.asked.filter(({ method }) => method !== "GET")
  expect(made.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/webhooks", { url: expect.stringContaining(".invalid/"), events: expect.any(Array) }],
    ["PATCH", "/webhooks/wh_2", { enabled: false }],
  ])
  listening.stop()
  expect(await listening.done).toBe(0)
  expect(api.asked.at(-1)).toMatchObject({ method: "DELETE", path: "/webhooks/wh_2" })
})

it("makes its own webhook beside that of another listener, and removes only its own", async () => {
  const kept: { id: string; url: string }[] = []
  const { api } = await startTeam({
    "GET /webhooks": () => page(...kept),
    "POST /webhooks": ({ body }) => {
      kept.push({ id: `wh_${kept.length + 1}`, url: body.url })
      return { ...kept.at(-1), secret: "whsec_2" }
    },
    "PATCH /webhooks/:id": () => WEBHOOK,
    "DELETE /webhooks/:id": ({ path }) => {
      kept.splice(0, kept.length, ...kept.filter(({ id }) => !path.endsWith(id)))
    },
  })
  const idsAfter = async (listening: ReturnType<typeof listen>) => {
    listening.stop()
    expect(await listening.done).toBe(0)
    return kept.map(({ id }) => id)
  }
  const isFollowing = (readers: number) =>
    eventually(() => {
      const positions = api.asked.filter(({ path }) => path === "/event-position")
      expect(positions).toHaveLength(readers)
    })
  const first = listen(api)
  await isFollowing(1)
  const second = listen(api)
  await isFollowing(2)
  expect(await idsAfter(first)).toEqual(["wh_2"])
  expect(await idsAfter(second)).toEqual([])
})

it("deletes what listeners that were killed have left, and nothing else", async () => {
  const url = "https://edgepost-listen.invalid/1"
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const { api } = await startTeam({
    "GET /webhooks": () =>
      page(
        { id: "wh_dead", url, enabled: false, updatedAt: ago(25) },
        { id: "wh_living", url, enabled: false, updatedAt: ago(23) },
        { id: "wh_enabled", url, enabled: true, updatedAt: ago(25) },
        { ...WEBHOOK, id: "wh_other", updatedAt: ago(25) },
      ),
    "DELETE /webhooks/:id": () => undefined,
  })
  const listening = listen(api)
  await eventually(() => expect(api.asked.at(-1)?.path).toBe("/events"))
  listening.stop()
  expect(await listening.done).toBe(0)
  const changes = api.asked.filter(({ method }) => method !== "GET")
  expect(changes.map(({ method, path }) => [method, path])).toEqual([
    ["DELETE", "/webhooks/wh_dead"],
  ])
})

it("renews its webhook, and makes another when it was deleted", async () => {
  const kept = new Set<string>()
  let made = 0
  const { api } = await startTeam({
    "GET /webhooks": () => page(),
    "POST /webhooks": () => {
      const id = `wh_${++made}`
      kept.add(id)
      return { id, secret: "whsec_2" }
    },
    "PATCH /webhooks/:id": ({ path }, response) =>
      kept.has(path.replace("/webhooks/", "")) || refuse(response, 404, "not_found", "Gone."),
    "DELETE /webhooks/:id": ({ path }) => void kept.delete(path.replace("/webhooks/", "")),
  })
  const changes = () =>
    api.asked.filter(({ method }) => method !== "GET").map(({ method, path }) => method + path)
  const renewed = ["POST/webhooks", "PATCH/webhooks/wh_1", "PATCH/webhooks/wh_1"]
  vi.useFakeTimers({ toFake: ["Date"] })
  const listening = listen(api)
  // It asks for events once it has noted when to renew.
  const isNoted = () => eventually(() => expect(api.asked.at(-1)?.path).toBe("/events"))
  await isNoted()
  vi.setSystemTime(Date.now() + 7 * 3_600_000)
  await eventually(() => expect(changes()).toEqual(renewed))
  await isNoted()
  kept.clear()
  vi.setSystemTime(Date.now() + 30 * 3_600_000)
  await eventually(() => expect([...kept]).toEqual(["wh_2"]))
  vi.useRealTimers()
  listening.stop()
  expect(await listening.done).toBe(0)
  expect([...kept]).toEqual([])
})

it("goes on after a failure, and at the new numbers after a restore", async () => {
  const replies = ["down", "reset"]
  const { api, happen } = await startTeam()
  const page = api.routes["GET /events"]!
  api.routes["GET /events"] = (asked, response) => {
    const reply = replies.shift()
    if (reply === "down") return refuse(response, 400, "validation_error", "Down.")
    return reply === "reset" ? { data: [], nextAfter: 0, reset: true } : page(asked, response)
  }
  const refused = listen(api)
  expect(await refused.done).toBe(1)
  happen("email.sent", { email: EMAIL })
  const listening = listen(api)
  await eventually(() => expect(listening.printed).toHaveLength(1))
  expect(listening.errors.join()).toContain("numbered anew")
  listening.stop()
  expect(await listening.done).toBe(0)
})

it("forwards each event signed with the printed secret, and replays on demand", async () => {
  let secret = ""
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const { method = "", url } = request
    const headers = request.headers as Record<string, string>
    const handler = createWebhookHandler({
      secret,
      on: { "email.sent": ({ id, data }) => received.push(`${url} ${id} ${JSON.stringify(data)}`) },
    })
    const body = await text(request)
    const { status } = await handler(new Request("http://a.test/", { method, headers, body }))
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
  const { port } = server.address() as AddressInfo
  const { api, happen } = await startTeam()
  const { typed, printed, done, stop } = listen(api, String(port), "--path", "/h", "--json")
  await eventually(() => expect(printed).toHaveLength(1))
  secret = JSON.parse(printed[0]!).secret
  const data = { email: EMAIL, event: { type: "sent" } }
  happen("email.sent", data)
  await eventually(() => expect(printed).toHaveLength(2))
  expect(received).toEqual([`/h evt_7 ${JSON.stringify(data)}`])
  expect(JSON.parse(printed[1]!)).toMatchObject({
    eventId: "evt_7",
    type: "email.sent",
    status: 200,
  })
  typed.push("evt_7\n")
  await eventually(() => expect(received).toHaveLength(2))
  typed.push("\n")
  await eventually(() => expect(received).toHaveLength(3))
  stop()
  expect(await done).toBe(0)
  server.close()
})

it("refuses an invalid port", async () => {
  const api = await startApi()
  expect((await runCommand(api, ["listen", "http"])).code).toBe(2)
})
