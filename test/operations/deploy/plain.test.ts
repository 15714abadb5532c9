import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { ACCOUNT, type FakeAccount, startFakeAccount, TOKEN } from "./fake-account.ts"
import { runUploaded } from "./uploaded.ts"

const ORIGIN = "https://edgepost.acme.workers.dev"
const clone = mkdtempSync(join(tmpdir(), "edgepost-clone-"))
let account: FakeAccount

/** The files that git knows or would take, and the packages of this checkout. */
beforeAll(async () => {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  const files = execFileSync("git", args, { encoding: "utf8" }).trim().split("\n")
  for (const file of files.filter((name) => existsSync(name))) cpSync(file, join(clone, file))
  symlinkSync(resolve("node_modules"), join(clone, "node_modules"))
  account = await startFakeAccount()
})
afterAll(async () => {
  await account.stop()
  rmSync(clone, { recursive: true, force: true })
})

async function wranglerDeploy() {
  const child = spawn("npx", ["wrangler", "deploy"], {
    cwd: clone,
    env: {
      ...process.env,
      CI: "1",
      CLOUDFLARE_API_BASE_URL: account.url,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      WRANGLER_SEND_METRICS: "false",
    },
  })
  let printed = ""
  for (const output of [child.stdout, child.stderr]) output.on("data", (data) => (printed += data))
  const [status] = await once(child, "close")
  return { status, printed }
}

it("wrangler deploy in a fresh clone makes an installation that a person claims and sends with", async () => {
  // Workers Builds makes a Worker of the name before the first build.
  account.scripts.set("edgepost", { bindings: [], secrets: [], schedules: [], workersDev: true })
  const { status, printed } = await wranglerDeploy()
  expect(account.unknown).toEqual([])
  expect([status, status === 0 ? "" : printed]).toEqual([0, ""])
  expect([...account.databases.keys()]).toEqual(["edgepost"])
  expect([...account.buckets.keys()]).toEqual(["edgepost-content"])
  expect(account.queues).toHaveLength(10)
  expect(account.queues.every(({ consumers }) => consumers[0]?.script === "edgepost")).toBe(true)

  const { miniflare, logged } = runUploaded(account, "edgepost", join(clone, "dist/dashboard"))
  const call = async (method: string, path: string, body?: unknown, headers = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await miniflare.dispatchFetch(ORIGIN + path, { method, headers, ...sent })
    return {
      status: reply.status,
      cookie: reply.headers.get("set-cookie"),
      body: await reply.json(),
    }
  }
  try {
    expect((await call("GET", "/health")).status).toBe(200)
    await call("GET", "/dashboard/auth/methods")
    const code = await eventually(async () => {
      const line = logged.find((one) => one.includes("claimCode"))
      expect(line).toBeDefined()
      return JSON.parse(line ?? "{}").claimCode
    })
    const owner = { teamName: "First", name: "Ada", email: "ada@first.test" }
    const claim = { ...owner, code, password: "correct horse battery" }
    const claimed = await call("POST", "/dashboard/auth/claim", claim)
    expect(claimed.status).toBe(201)
    const cookie = claimed.cookie?.split(";")[0]
    const made = await call("POST", "/dashboard/api/api-keys", { name: "First" }, { cookie })
    const { secret } = made.body as { secret: string }
    const as = { authorization: `Bearer ${secret}` }
    const domain = await call("POST", "/api/v1/domains", { name: "test.example.com" }, as)
    const { id } = domain.body as { id: string }
    expect((await call("POST", `/api/v1/domains/${id}/verify`, {}, as)).status).toBe(200)
    const mail = { from: "a@test.example.com", to: "b@example.com", subject: "Hi", text: "Hello" }
    expect(await call("POST", "/api/v1/emails", mail, as)).toMatchObject({ status: 201 })
    await eventually(async () => {
      const { body } = await call("GET", "/api/v1/sandbox/messages", undefined, as)
      expect(body).toMatchObject({ data: [{ subject: "Hi" }] })
    })
  } finally {
    await miniflare.dispose()
  }

  const provider = { type: "plain_text", name: "PROVIDER", text: "ses" }
  account.scripts.get("edgepost")?.bindings.push(provider)
  account.calls.length = 0
  const again = await wranglerDeploy()
  expect(again.status).toBe(0)
  expect(account.databases.size).toBe(1)
  const upload = account.calls.find(({ modules }) => modules.length > 0)
  const { bindings, keep_bindings } = (upload as { body: unknown }).body as {
    bindings: { type: string; name: string }[]
    keep_bindings: string[]
  }
  expect(bindings.map(({ name }) => name)).toContain("DB")
  // Settings of Cloudflare's dashboard stay.
  expect(bindings.filter(({ type }) => type === "plain_text" || type === "json")).toEqual([])
  expect(keep_bindings).toEqual(expect.arrayContaining(["plain_text", "json"]))
}, 400_000)
