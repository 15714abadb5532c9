import { expect, it } from "vitest"
import { Edgepost } from "../../src/client/index.ts"
import { checkSandbox, checkService } from "../../src/command-line/doctor/checkup-outside.ts"
import { ME, page, refuse, startApi } from "./fake-api.ts"
import { KEY, runCommand } from "./run.ts"
import { DOMAIN, dnsAnswer, EMAIL, MESSAGE, routes } from "./samples.ts"

type Routes = NonNullable<Parameters<typeof startApi>[0]>
const LONG_AGO = "2020-01-01T00:00:00.000Z"
const late = (status: string, more: object) => (asked: Parameters<Routes[string]>[0]) =>
  asked.query.status === status ? page({ ...EMAIL, status, ...more }) : page()

const failing = () =>
  page({ ...EMAIL, status: "failed", lastError: "No.", createdAt: new Date().toISOString() })
const waiting = { ...EMAIL, status: "queued", lastError: "Not yet." }
const SANDBOX_DOMAIN = { ...DOMAIN, status: "verified", provider: "sandbox" }
/** The clock is read from the reply to the key. */
const DEPENDS_ON_KEY = new Set(["key clock"])

it("refuses a base URL that is not encrypted", async () => {
  const baseUrl = "http://mail.example.com"
  const client = new Edgepost({ apiKey: KEY, baseUrl })
  expect(await checkService({ client, baseUrl, env: {} })).toContain("log in with https")
})

it("warns of an installation on the sandbox, but not on this machine", async () => {
  const { baseUrl } = await startApi({ ...routes, "GET /domains": () => page(SANDBOX_DOMAIN) })
  const client = new Edgepost({ apiKey: KEY, baseUrl })
  const check = (url: string) => checkSandbox({ client, baseUrl: url, env: {} })
  expect(await check("https://mail.example.com")).toContain("set PROVIDER")
  expect(await check(baseUrl)).toBeNull()
})

it("says that all is well, and exits with 0", async () => {
  const ran = await runCommand(await startApi(routes), ["doctor"])
  expect(ran.out).not.toContain("wrong")
  expect(ran).toMatchObject({ code: 0, err: "" })
})

it.each<[string, string, Routes, ...string[]]>([
  [
    "service",
    "these do not answer: 2, 3. Their teams wait",
    { "GET /health": () => ({ status: "degraded", silentDatabases: [2, 3] }) },
  ],
  ["service", "look into the Worker's log", { "GET /health": () => ({ status: "behind" }) }],
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
    "let it follow a time server",
    {
      "GET /me": (_asked, response) =>
        void response
          .writeHead(200, { "content-type": "application/json", date: new Date(0).toUTCString() })
          .end(JSON.stringify(ME)),
    },
  ],
  ["provider", "Correct the address", { "GET /emails": failing }],
  ["domains", "edgepost domains verify", { "GET /domains": () => page(DOMAIN) }],
  [
    "domains",
    "is failed: Its records are missing. Publish the records that 'edgepost domains verify NAME' shows",
    {
      "GET /domains": () =>
        page({ ...DOMAIN, status: "failed", lastError: "Its records are missing." }),
    },
  ],
  ["domains", "edgepost domains add", { "GET /domains": () => page() }],
  [
    "dns",
    "MX bounce.x 10 mx.y. Publish",
    { "GET /dns-query": ({ query }) => dnsAnswer(String(query.type), null) },
  ],
  [
    "dns",
    "MX bounce.x 10 mx.y. Publish",
    { "GET /dns-query": ({ query }) => dnsAnswer(String(query.type), "10 other.example.") },
  ],
  [
    "queue",
    "look at the Worker's queues",
    { "GET /emails": late("queued", { createdAt: LONG_AGO }) },
  ],
  [
    "cron",
    "look whether the Worker's cron",
    { "GET /emails": late("scheduled", { scheduledAt: LONG_AGO }) },
  ],
  [
    "stream",
    "No.",
    { "GET /stream": (_asked, response) => refuse(response, 403, "forbidden", "No.") },
  ],
  ...["GET /health", "GET /unsubscribe/doctor"].map((path): [string, string, Routes] => [
    path === "GET /health" ? "service" : "links",
    "turn Bot Fight Mode off",
    {
      [path]: (_asked, response) =>
        void response.writeHead(403, { "cf-mitigated": "challenge" }).end("<html>"),
    },
  ]),
  [
    "links",
    "without a sign-in",
    {
      "GET /t/o/doctor": (_asked, response) =>
        void response.writeHead(302, { location: "https://sign-in.example/" }).end(),
    },
  ],
  ["sending", "look at the Worker's queues", { "GET /emails/:id": () => waiting }, "--to", "a@b.c"],
  [
    "sending",
    "Correct the address",
    { "GET /emails/:id": () => ({ ...EMAIL, status: "failed", lastError: "No." }) },
    "--to",
    "a@b.c",
  ],
  [
    "sending",
    "set BASE_URL",
    {
      "GET /domains": () => page(SANDBOX_DOMAIN),
      "GET /sandbox/messages": () => page({ ...MESSAGE, links: ["https://wrong.example/t/c/x"] }),
    },
    "--to",
    "a@b.c",
  ],
])("finds what is wrong with the %s: %s", async (part, said, wrong, ...args) => {
  const api = await startApi({ ...routes, ...wrong })
  const ran = await runCommand(api, ["doctor", ...args, "--json"])
  expect(ran).toMatchObject({ code: 1, err: "" })
  expect(ran.json.ok).toBe(false)
  const found = ran.json.checks.filter((check: { ok: boolean }) => !check.ok)
  expect(found).toContainEqual({ part, ok: false, mend: expect.stringContaining(said) })
  const parts = found.map((check: { part: string }) => check.part)
  expect(
    parts.filter((one: string) => one !== part && !DEPENDS_ON_KEY.has(`${part} ${one}`)),
  ).toEqual([])
  expect((await runCommand(api, ["doctor", ...args])).out).toContain(`wrong ${part.padEnd(8)} `)
})

it.each([
  ["campaign mail", { createdAt: LONG_AGO, campaignId: "cmp_1" }],
  [
    "scheduled mail whose time has just come",
    { createdAt: LONG_AGO, scheduledAt: new Date().toISOString() },
  ],
])("does not count %s as late", async (_, more) => {
  const api = await startApi({ ...routes, "GET /emails": late("queued", more) })
  expect((await runCommand(api, ["doctor"])).code).toBe(0)
})
