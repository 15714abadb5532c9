import { expect, it } from "vitest"
import { page, refuse, startApi } from "./fake-api.ts"
import { KEY, runCommand } from "./run.ts"
import { routes, theirRoutes } from "./samples.ts"

const THEIR_KEY = "re_a-secret-that-nobody-may-see"
const api = await startApi(routes)
const theirs = await startApi(theirRoutes)
const env = (changed: Record<string, string> = {}) => ({
  SVC_API_KEY: KEY,
  SVC_BASE_URL: api.baseUrl,
  RESEND_BASE_URL: theirs.baseUrl,
  RESEND_API_KEY: THEIR_KEY,
  ...changed,
})
const args = (...more: string[]) => ["import", "resend", "--rate", "1000", ...more]

it("reports imported, failed and unsupported records", async () => {
  const ran = await runCommand(api, args("--dry-run"), { env: env() })
  expect(ran).toMatchObject({ code: 0, err: "" })
  expect(ran.out).toContain("A dry run: nothing was changed.")
  expect(ran.out).toMatch(/domains +1 +1 +0 +0 +0/)
  expect(ran.out).toContain("Webhooks: Resend shows no signing secrets")
  expect(ran.out).not.toContain(THEIR_KEY)
  expect(theirs.asked.every(({ headers }) => headers.authorization === `Bearer ${THEIR_KEY}`)).toBe(
    true,
  )
  expect(api.asked.every(({ method }) => method === "GET")).toBe(true)
})

it("prints the report as JSON", async () => {
  const ran = await runCommand(api, args("--dry-run", "--only", "domains", "--json"), {
    env: env(),
  })
  expect(Object.keys(ran.json.parts)).toEqual(["domains"])
  expect(ran.json).toMatchObject({ dryRun: true, leftBehind: expect.any(Array) })
})

it("exits with 1 if a record failed, and names the record", async () => {
  const taken = await startApi({
    ...routes,
    "GET /domains": () => page(),
    "POST /domains": (_asked, response) => refuse(response, 409, "conflict", "It is taken."),
  })
  const ran = await runCommand(taken, args("--only", "domains"), {
    env: env({ SVC_BASE_URL: taken.baseUrl }),
  })
  expect(ran.code).toBe(1)
  expect(ran.out).toContain("domains: new.example.com: It is taken.")
})

it("reads the key from standard input, and refuses none", async () => {
  const options = { env: env({ RESEND_API_KEY: "" }) }
  const ran = await runCommand(api, args("--dry-run", "--only", "domains"), {
    ...options,
    input: `${THEIR_KEY}\n`,
  })
  expect(ran.code).toBe(0)
  expect(theirs.asked.at(-1)?.headers.authorization).toBe(`Bearer ${THEIR_KEY}`)
  expect(await runCommand(api, args("--dry-run"), { ...options, input: "" })).toMatchObject({
    code: 2,
  })
})

it("signs in to listmonk as its user, and at Plunk with its key", async () => {
  const listmonk = ["import", "listmonk", `${theirs.baseUrl}/`, "--rate", "1000", "--json"]
  const ran = await runCommand(api, listmonk, {
    env: env({ LISTMONK_USER: "importer", LISTMONK_TOKEN: "t0ken" }),
  })
  expect(Object.keys(ran.json.parts)).toEqual(["templates", "suppressions", "contacts"])
  expect(theirs.asked.at(-1)).toMatchObject({
    path: "/api/subscribers",
    headers: { authorization: "token importer:t0ken" },
  })
  const plunk = await runCommand(api, ["import", "plunk", "--dry-run", "--only", "contacts"], {
    env: env({ PLUNK_API_KEY: "sk_123", PLUNK_BASE_URL: theirs.baseUrl }),
  })
  expect(plunk.code).toBe(0)
  expect(theirs.asked.at(-1)).toMatchObject({
    path: "/contacts",
    headers: { authorization: "Bearer sk_123" },
  })
})

it("refuses listmonk without a user or a URL", async () => {
  for (const [url, changed] of [
    [theirs.baseUrl, {}],
    ["lists.example.com", { LISTMONK_USER: "importer" }],
  ] as const) {
    const ran = await runCommand(api, ["import", "listmonk", url], {
      env: env({ LISTMONK_TOKEN: "t0ken", ...changed }),
    })
    expect(ran).toMatchObject({ code: 2, out: "" })
  }
})

it("refuses to import from the installation itself", async () => {
  const own = await runCommand(api, args(), {
    env: env({ RESEND_BASE_URL: `${api.baseUrl}/resend` }),
  })
  expect(own).toMatchObject({ code: 2, out: "" })
  expect(own.err).toContain("RESEND_BASE_URL")
})

it("refuses unknown parts and rates", async () => {
  for (const wrong of [
    ["--only", "emails"],
    ["--rate", "0"],
  ]) {
    expect((await runCommand(api, args(...wrong), { env: env() })).code).toBe(2)
  }
})
