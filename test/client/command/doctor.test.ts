import { expect, it } from "vitest"
import { ME, page, refuse, startApi } from "./fake-api.ts"
import { runCommand } from "./run.ts"
import { DOMAIN, EMAIL, routes } from "./samples.ts"

type Routes = NonNullable<Parameters<typeof startApi>[0]>
const LONG_AGO = "2020-01-01T00:00:00.000Z"
const late = (status: string, more: object) => (asked: Parameters<Routes[string]>[0]) =>
  asked.query.status === status ? page({ ...EMAIL, status, ...more }) : page()

it("says that all is well, and exits with 0", async () => {
  const ran = await runCommand(await startApi(routes), ["doctor"])
  expect(ran.out).not.toContain("wrong")
  expect(ran).toMatchObject({ code: 0, err: "" })
})

it.each<[string, string, Routes]>([
  [
    "key",
    "full key",
    { "GET /me": () => ({ ...ME, key: { ...ME.key, permission: "sending_only" } }) },
  ],
  [
    "key",
    "Not this key.",
    { "GET /me": (_asked, response) => refuse(response, 401, "unauthorized", "Not this key.") },
  ],
  [
    "clock",
    "clock",
    {
      "GET /me": (_asked, response) =>
        void response
          .writeHead(200, { "content-type": "application/json", date: new Date(0).toUTCString() })
          .end(JSON.stringify(ME)),
    },
  ],
  ["domains", "MX bounce.x", { "GET /domains": () => page(DOMAIN) }],
  ["domains", "edgepost domains add", { "GET /domains": () => page() }],
  ["queue", "em_1", { "GET /emails": late("queued", { createdAt: LONG_AGO }) }],
  ["cron", "em_1", { "GET /emails": late("scheduled", { scheduledAt: LONG_AGO }) }],
  [
    "stream",
    "No.",
    { "GET /stream": (_asked, response) => refuse(response, 403, "forbidden", "No.") },
  ],
])("finds what is wrong with the %s: %s", async (part, said, wrong) => {
  const api = await startApi({ ...routes, ...wrong })
  const ran = await runCommand(api, ["doctor", "--json"])
  expect(ran).toMatchObject({ code: 1, err: "" })
  expect(ran.json.ok).toBe(false)
  const found = ran.json.checks.find((check: { part: string }) => check.part === part)
  expect(found).toMatchObject({ ok: false, mend: expect.stringContaining(said) })
  expect((await runCommand(api, ["doctor"])).out).toMatch(new RegExp(`wrong ${part} .*${said}`))
})

it("leaves a campaign's mail out of what is late", async () => {
  const more = { createdAt: LONG_AGO, campaignId: "cmp_1" }
  const api = await startApi({ ...routes, "GET /emails": late("queued", more) })
  expect((await runCommand(api, ["doctor"])).code).toBe(0)
})
