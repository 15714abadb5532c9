import { expect, it } from "vitest"
import { page, refuse, startApi } from "./fake-api.ts"
import { runCommand } from "./run.ts"
import { DOMAIN, MESSAGE, routes, SUPPRESSION } from "./samples.ts"

const api = await startApi({ ...routes, "GET /domains": () => page(DOMAIN) })
const last = () => api.asked.at(-1)!

it("lists domains", async () => {
  const ran = await runCommand(api, ["domains", "list"])
  expect(ran.out).toMatch(/mail.example.com +pending +ses +dom_1/)
  expect((await runCommand(api, ["domains", "list", "--json"])).json).toEqual(page(DOMAIN))
})

it("adds a domain and shows its DNS records", async () => {
  const ran = await runCommand(api, ["domains", "add", "mail.example.com"])
  expect(last().body).toEqual({ name: "mail.example.com" })
  expect(ran.out).toMatch(/no +MX +bounce.x +10 mx.y/)
})

it("verifies a domain by its name or its id", async () => {
  const ran = await runCommand(api, ["domains", "verify", "Mail.example.com"])
  expect(ran.out).toContain("mail.example.com verified (dom_1)")
  expect(last().path).toBe("/domains/dom_1/verify")
  const asked = api.asked.length
  expect((await runCommand(api, ["domains", "verify", "dom_1", "--json"])).json.id).toBe("dom_1")
  expect(api.asked).toHaveLength(asked + 1)
})

it("shows and deletes a domain by its name or its id", async () => {
  for (const nameOrId of ["Mail.example.com", "dom_1"]) {
    expect((await runCommand(api, ["domains", "get", nameOrId])).out).toContain("mail.example.com")
    expect(`${last().method} ${last().path}`).toBe("GET /domains/dom_1")
    expect((await runCommand(api, ["domains", "remove", nameOrId])).out).toBe("Done.\n")
    expect(`${last().method} ${last().path}`).toBe("DELETE /domains/dom_1")
  }
  const asked = api.asked.length
  const ran = await runCommand(api, ["domains", "remove", "other.example.com"])
  expect(ran).toMatchObject({ code: 1, out: "" })
  expect(api.asked.slice(asked).map(({ method }) => method)).toEqual(["GET"])
})

it("verifies a domain beyond ASCII by its name", async () => {
  const other = await startApi({
    ...routes,
    "GET /domains": () => page({ ...DOMAIN, name: "xn--bcher-kva.de" }),
  })
  expect((await runCommand(other, ["domains", "verify", "Bücher.de"])).code).toBe(0)
})

it("finds a domain on a later page, and fails if there is none", async () => {
  const paged = await startApi({
    ...routes,
    "GET /domains": ({ query }) =>
      query.cursor ? page(DOMAIN) : { data: [], nextCursor: "second" },
  })
  expect((await runCommand(paged, ["domains", "verify", DOMAIN.name])).code).toBe(0)
  const ran = await runCommand(paged, ["domains", "verify", "other.example.com"])
  expect(ran).toMatchObject({ code: 1, out: "" })
  expect(ran.err).toContain("other.example.com")
})

it("lists, adds and removes suppressions", async () => {
  const list = await runCommand(api, ["suppressions", "list"])
  expect(list.out).toMatch(/manual +ada@example.com/)
  await runCommand(api, ["suppressions", "add", "ada@example.com", "--note", "By phone"])
  expect(last().body).toEqual({ email: "ada@example.com", note: "By phone" })
  const added = await runCommand(api, ["suppressions", "add", "ada@example.com", "--json"])
  expect(added.json).toEqual(SUPPRESSION)
  const removed = await runCommand(api, ["suppressions", "remove", "a+b@example.com", "--json"])
  expect(removed.json).toEqual({ removed: "a+b@example.com" })
  expect(last()).toMatchObject({ method: "DELETE", path: "/suppressions/a%2Bb%40example.com" })
})

it("removing an unknown suppression exits with 1", async () => {
  const unknown = await startApi({
    "DELETE /suppressions/:email": (_asked, response) =>
      refuse(response, 404, "not_found", "Suppression not found."),
  })
  const ran = await runCommand(unknown, ["suppressions", "remove", "ada@example.com"])
  expect(ran).toMatchObject({ code: 1, out: "" })
})

it("waits for a message longer than one call may wait, and prints it", async () => {
  const replies = [page(), page(MESSAGE)]
  const slow = await startApi({ "GET /sandbox/messages": () => replies.shift() })
  const args = ["inbox", "wait", "--to", "ada@example.com", "--seconds", "45"]
  const ran = await runCommand(slow, args)
  expect(ran.out).toContain("Your code is 123.")
  expect(ran.out).toContain("https://example.com/confirm")
  const query = { to: "ada@example.com", limit: "1" }
  expect(slow.asked.map((asked) => asked.query)).toEqual([
    { ...query, wait: "30" },
    { ...query, wait: "15" },
  ])
  const asJson = await runCommand(api, ["inbox", "wait", "--email-id", "em_1", "--json"])
  expect(asJson.json).toEqual(MESSAGE)
})

it("waiting for a message that does not come exits with 1", async () => {
  const empty = await startApi({ "GET /sandbox/messages": () => page() })
  const ran = await runCommand(empty, ["inbox", "wait", "--seconds", "0"])
  expect(ran).toMatchObject({ code: 1, out: "", err: "No message within 0 seconds.\n" })
})

it("lists, shows and removes records with the commands of the table", async () => {
  const keys = await runCommand(api, ["keys", "list", "--limit", "5"])
  expect(keys.out).toMatch(/PERMISSION +NAME.*full +CI +key_1/s)
  expect(last().query).toEqual({ limit: "5" })
  expect((await runCommand(api, ["keys", "list", "--json"])).json.data[0].id).toBe("key_1")
  await runCommand(api, ["keys", "create", "CI", "--permission", "sending_only"])
  expect(last().body).toEqual({ name: "CI", permission: "sending_only" })
  const url = "https://example.com/hook"
  await runCommand(api, ["webhooks", "create", url, "email.sent", "email.bounced"])
  expect(last().body).toEqual({ url, events: ["email.sent", "email.bounced"] })
  expect((await runCommand(api, ["domains", "remove", "dom_1"])).out).toBe("Done.\n")
  expect(`${last().method} ${last().path}`).toBe("DELETE /domains/dom_1")
  expect((await runCommand(api, ["campaigns", "get", "cmp_1"])).out).toMatch(
    /counts +delivered 2\n/,
  )
  expect((await runCommand(api, ["campaigns", "get"])).code).toBe(2)
})

it("lists, shows and replays deliveries of a webhook", async () => {
  const list = await runCommand(api, ["webhooks", "deliveries", "wh_1", "--state", "failed"])
  expect(list.out).toMatch(/failed +email.sent +6 +whd_1/)
  expect(last()).toMatchObject({ path: "/webhooks/wh_1/deliveries", query: { state: "failed" } })
  expect((await runCommand(api, ["webhooks", "delivery", "whd_1"])).out).toContain("500")
  const replayed = await runCommand(api, ["webhooks", "replay", "whd_1", "--json"])
  expect(replayed.json).toEqual({ deliveryId: "whd_2" })
  expect(`${last().method} ${last().path}`).toBe("POST /deliveries/whd_1/replay")
})

it("finds a contact by its address, and fails if there is none", async () => {
  const ran = await runCommand(api, ["contacts", "get", "cb_1", "Ada@example.com", "--json"])
  expect(ran.json.email).toBe("ada@example.com")
  const none = await runCommand(api, ["contacts", "get", "cb_1", "nobody@example.com"])
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining("no contact nobody@") })
})

it("shows rates of 30 days, and a series with any option", async () => {
  const stats = await runCommand(api, ["stats"])
  expect(stats.out).toContain("260 in 7 days")
  expect(stats.out).toMatch(/Delivered +97.0 %\n/)
  expect(stats.out).toContain("critical: 5.0 % bounces")
  const series = await runCommand(api, ["stats", "--since", "7d", "--tag", "plan:pro"])
  expect(series.out).toMatch(/2026-11-20T00:00:00.000Z +40 +37 +2 +1 +0 +0 +16 +4 +1\nTotal +40/)
  const { path, query } = last()
  expect([path, query.tag]).toEqual(["/stats/series", "plan:pro"])
  expect(Math.abs(Date.now() - 7 * 86_400_000 - Date.parse(query.since!))).toBeLessThan(60_000)
})

it("lists emails since a duration ago", async () => {
  await runCommand(api, ["emails", "list", "--since", "90m", "--until", "2026-11-20T00:00Z"])
  const { since, until } = last().query
  expect(Math.abs(Date.now() - 5_400_000 - Date.parse(since!))).toBeLessThan(60_000)
  expect(until).toBe("2026-11-20T00:00Z")
})

it("creates a segment from conditions or from JSON, and lists its contacts", async () => {
  const create = (...options: string[]) =>
    runCommand(api, ["segments", "create", "cb_1", "Young", ...options])
  const conditions = ["properties.age below 30", "subscribed is true", "firstName set"]
  const made = await create(...conditions.flatMap((one) => ["--where", one]))
  expect(made.out).toBe("Created Londoners (seg_1).\n")
  expect(last().body).toEqual({
    bookId: "cb_1",
    name: "Young",
    filter: {
      all: [
        { field: "properties.age", op: "below", value: 30 },
        { field: "subscribed", op: "is", value: true },
        { field: "firstName", op: "set" },
      ],
    },
  })
  await create("--any", "--where", "email contains 4 2")
  expect(last().body.filter).toEqual({ any: [{ field: "email", op: "contains", value: "4 2" }] })
  const filter = { all: [{ activity: "opened", withinDays: 30 }] }
  const input = JSON.stringify(filter)
  await runCommand(api, ["segments", "update", "seg_1", "--filter", "-"], { input })
  expect(last()).toMatchObject({ method: "PATCH", path: "/segments/seg_1", body: { filter } })
  const wrong = [
    [],
    ["--where", "email"],
    ["--filter", "{"],
    ["--where", "a set", "--filter", "{}"],
  ]
  for (const options of wrong) expect((await create(...options)).code).toBe(2)
  expect((await runCommand(api, ["segments", "list", "--book-id", "cb_1"])).out).toContain("seg_1")
  expect(last().query).toEqual({ bookId: "cb_1" })
  expect((await runCommand(api, ["segments", "contacts", "seg_1"])).out).toContain("ada@")
})
