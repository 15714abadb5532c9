import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { lifecycleRules } from "../../../src/operations/install/bucket.ts"
import { createCloudflare } from "../../../src/operations/install/cloudflare.ts"
import type { Installed } from "../../../src/operations/install/install.ts"
import { nextSteps } from "../../../src/operations/install/next-steps.ts"
import { type Upload, uploadByWrangler } from "../../../src/operations/install/worker.ts"
import { configFile, settingsFile } from "../../../src/operations/installation.ts"
import { hashPassword } from "../../../src/worker/access/people/password.ts"
import { deployTo, runOn, uploadTo, type Wanted } from "./deployment.ts"
import { ACCOUNT, type FakeAccount, startFakeAccount, TOKEN } from "./fake-account.ts"

const NAME = "deploy-test"
const OTHER = "deploy-test-2"
const CONFIG = configFile(NAME)

let account: FakeAccount
const realFetch = globalThis.fetch
const deploy = (wanted: Wanted = {}) => deployTo(account, { name: NAME, ...wanted })
const uploadFast: Upload = (...args) => uploadTo(account, ...args)

const removeFiles = () => {
  for (const name of [NAME, OTHER]) {
    for (const file of [configFile(name), settingsFile(name)]) rmSync(file, { force: true })
  }
}

beforeEach(async () => {
  account = await startFakeAccount()
  // The installation's own host leads to the fake account.
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) => {
    const { hostname, pathname } = new URL(input)
    return hostname === "127.0.0.1"
      ? realFetch(input, init)
      : realFetch(account.url + pathname, { headers: { "x-host": hostname } })
  })
})

afterEach(async () => {
  vi.unstubAllGlobals()
  removeFiles()
  await account.stop()
})

/** What an installation consists of, without ids that Cloudflare chooses. */
function endState() {
  const applied = [...account.databases].map(([name, { db }]) => [
    name,
    db.prepare("select name from d1_migrations order by id").all(),
  ])
  return structuredClone({
    databases: applied,
    queues: account.queues
      .map(({ queue_name, consumers }) => [queue_name, consumers.map(({ script }) => script)])
      .sort(),
    buckets: [...account.buckets],
    scripts: [...account.scripts].map(([name, { secrets, schedules, workersDev }]) => [
      name,
      { secrets, schedules, workersDev },
    ]),
    domains: account.domains.map(({ hostname, service }) => ({ hostname, service })),
  })
}

const isLive = async (url = "https://mail.example.com") => (await fetch(`${url}/health`)).ok

describe("a deployment", () => {
  it("makes everything from nothing, with wrangler's upload, and again changes nothing", async () => {
    const first = await deploy({ upload: uploadByWrangler({ url: account.url, token: TOKEN }) })
    expect(account.unknown).toEqual([])
    expect(first.failure).toBeNull()
    expect(first.lines[0]).toBe(`Edgepost '${NAME}'`)
    expect(await isLive()).toBe(true)
    const state = endState()
    expect(state.queues).toHaveLength(10)
    expect(state.queues.every(([, consumers]) => consumers?.[0] === NAME)).toBe(true)
    expect(state.scripts).toEqual([
      [
        NAME,
        {
          secrets: [],
          schedules: [{ cron: "* * * * *" }],
          workersDev: false,
        },
      ],
    ])
    expect(state.domains).toEqual([{ hostname: "mail.example.com", service: NAME }])

    account.calls.length = 0
    const again = await deploy({ upload: uploadByWrangler({ url: account.url, token: TOKEN }) })
    expect(again.failure).toBeNull()
    expect(endState()).toEqual(state)
    const uploads = account.calls.filter(({ path }) => path.endsWith(`/scripts/${NAME}`))
    expect(JSON.stringify(uploads)).not.toContain('secret_text","text')
  })

  it("uploads once more when Cloudflare refuses the script", async () => {
    account.refusals.push({
      path: `/scripts/${NAME}`,
      method: "PUT",
      status: 400,
      code: 10021,
      message: "Script startup exceeded CPU time limit.",
      times: 1,
    })
    const upload = uploadByWrangler({ url: account.url, token: TOKEN })
    expect((await deploy({ upload })).failure).toBeNull()
    const uploads = account.calls.filter(({ path }) => path.endsWith(`/scripts/${NAME}`))
    expect(uploads.map(({ method }) => method)).toEqual(["PUT", "PUT"])
  })

  it("names a challenge of Cloudflare before its host, and how to end it", async () => {
    vi.stubGlobal("fetch", (input: string, init?: RequestInit) =>
      new URL(input).hostname === "127.0.0.1"
        ? realFetch(input, init)
        : new Response("<html>", { status: 403, headers: { "cf-mitigated": "challenge" } }),
    )
    const { failure } = await deploy()
    expect(failure?.reason).toContain("challenge")
    expect(failure?.remedy).toContain("Bot Fight Mode")
  })

  it("reaches the same state when any one of its calls fails, and says how to go on", async () => {
    expect((await deploy()).failure).toBeNull()
    const calls = account.calls.length
    const state = endState()
    expect(calls).toBeGreaterThan(40)
    for (let failing = 0; failing < calls; failing++) {
      await account.stop()
      removeFiles()
      account = await startFakeAccount()
      account.failAt = failing
      const { failure } = await deploy()
      if (failure) {
        expect(failure.reason).toContain("An unknown error has occurred [code: 10013]")
        expect(failure.remedy).toBe("Run the same command again: it goes on where it stopped.")
        expect((await deploy()).failure).toBeNull()
      }
      expect(account.failAt).toBeNull()
      expect(endState()).toEqual(state)
      expect(await isLive()).toBe(true)
    }
  }, 400_000)

  it("lets the bucket delete what is left over, and keeps the rules of others", async () => {
    await deploy()
    const bucket = account.buckets.get(`${NAME}-content`)
    const daysOf = (rules: unknown[] = []) =>
      Object.fromEntries(
        (rules as ReturnType<typeof lifecycleRules>).map((rule) => [
          rule.conditions.prefix,
          rule.deleteObjectsTransition.condition.maxAge / 86_400,
        ]),
      )
    expect(daysOf(bucket?.rules)).toEqual({
      "content/": 760,
      "packs/": 60,
      "sandbox/": 60,
      "dead-letters/": 365,
      "unreadable-letters/": 30,
    })
    const theirs = {
      id: "theirs",
      conditions: { prefix: "x/" },
      deleteObjectsTransition: { condition: { type: "Age", maxAge: 86_400 } },
    }
    bucket?.rules.splice(0, 1, theirs)
    await deploy()
    expect(daysOf(bucket?.rules)).toMatchObject({ "content/": 760, "x/": 1 })
  })

  it("gives the Worker the keys of the environment once, and makes none", async () => {
    vi.stubEnv("ERASURE_KEY", "a key of 32 characters or even more")
    await deploy()
    expect(account.scripts.get(NAME)?.secrets).toEqual(["ERASURE_KEY"])
    account.calls.length = 0
    await deploy()
    const uploads = account.calls.filter(({ path }) => path.endsWith(`/scripts/${NAME}`))
    expect(JSON.stringify(uploads)).not.toContain("ERASURE_KEY")
    vi.unstubAllEnvs()
  })

  it("gives a claim code whose hash is stored, until somebody has claimed", async () => {
    const { installed } = await deploy()
    const [{ db } = { db: null }] = account.databases.values()
    const code = installed?.claimCode ?? ""
    expect(code.length).toBeGreaterThan(20)
    expect(db?.prepare("select code_hash from claim_codes").get()).toEqual({
      code_hash: createHash("sha256").update(code).digest("hex"),
    })
    expect(nextSteps(NAME, installed as Installed)).toContain(
      `/dashboard/claim\n     Code: ${code}`,
    )
    db?.exec(
      "insert into users (id, name, email, created_at, updated_at) values ('u', 'u', 'u', 0, 0)",
    )
    const again = await deploy()
    expect(again.installed?.claimCode).toBeNull()
    expect(nextSteps(NAME, again.installed as Installed)).not.toContain("claim")
  })

  it("takes the Worker that Workers Builds has made before the first build", async () => {
    const placeholder = { bindings: [], secrets: [], schedules: [], workersDev: true }
    account.scripts.set(NAME, placeholder)
    expect((await deploy({ url: null })).failure?.reason).toContain("is not Edgepost's")
    vi.stubEnv("WORKERS_CI", "1")
    expect((await deploy({ url: null })).failure).toBeNull()
    expect((await deploy({ url: null })).failure).toBeNull()
    vi.unstubAllEnvs()
  })

  it("names the permission that the token of a build lacks, and the page to change it", async () => {
    vi.stubEnv("WORKERS_CI", "1")
    account.refusals.push({
      path: "/d1/",
      status: 403,
      code: 10000,
      message: "Authentication error",
    })
    const { failure } = await deploy({ url: null })
    expect(failure?.remedy).toContain("lacks the permission D1 Edit")
    expect(failure?.remedy).toContain("https://dash.cloudflare.com/profile/api-tokens")
    vi.unstubAllEnvs()
  })

  it("waits where the account has made too many calls, as long as Cloudflare says", async () => {
    account.tooMany = 2
    expect((await deploy()).failure).toBeNull()
    expect(account.tooMany).toBe(0)
  })

  it("changes nothing in a dry run", async () => {
    const { failure, lines } = await deploy({ dryRun: true })
    expect(failure).toBeNull()
    expect(account.calls.filter(({ method }) => method !== "GET")).toEqual([])
    expect(lines).toContain("  would: creates the database deploy-test")
    expect(lines).toContain("  would: attaches mail.example.com to the Worker")
    expect(lines.at(-1)).toBe("Nothing was changed.")
    expect(existsSync(CONFIG)).toBe(false)
    await deploy()
    const again = await deploy({ dryRun: true })
    expect(again.lines.filter((line) => line.includes("would:"))).toEqual(["  would: uploads"])
  })

  it("makes two installations of different names that share nothing", async () => {
    await deploy()
    const one = endState()
    expect((await deploy({ name: OTHER, url: "https://other.example.com" })).failure).toBeNull()
    const both = endState()
    expect(both.scripts.map(([name]) => name)).toEqual([NAME, OTHER])
    expect(both.queues).toHaveLength(2 * one.queues.length)
    expect(both.queues).toEqual(expect.arrayContaining(one.queues))
    expect(await isLive("https://other.example.com")).toBe(true)
  })

  it("keeps its URL where none is given, and begins at workers.dev", async () => {
    expect((await deploy({ url: null })).failure).toBeNull()
    expect(await isLive(`https://${NAME}.acme.workers.dev`)).toBe(true)
    const { failure } = await deploy()
    expect(failure?.reason).toBe(
      `'${NAME}' is the installation at https://${NAME}.acme.workers.dev.`,
    )
    expect(failure?.remedy).toContain('set BASE_URL = "https://mail.example.com"')
    expect(failure?.remedy).toContain(`'npm run deploy -- https://mail.example.com ${NAME}'`)
    writeFileSync(settingsFile(NAME), 'BASE_URL = "https://mail.example.com"')
    expect((await deploy({ url: null })).failure).toBeNull()
    expect(JSON.parse(readFileSync(CONFIG, "utf8")).vars.BASE_URL).toBe("https://mail.example.com")
    removeFiles()
    account.scripts.clear()
    account.databases.clear()
    account.buckets.clear()
    account.subdomain = null
    expect((await deploy({ url: null })).failure?.remedy).toContain("Give a URL")
  })

  it("answers at workers.dev where the account has no zone", async () => {
    const url = `https://${NAME}.acme.workers.dev`
    expect((await deploy({ url })).failure).toBeNull()
    expect(await isLive(url)).toBe(true)
    removeFiles()
    expect((await deploy({ url: "https://other.acme.workers.dev" })).failure?.remedy).toContain(url)
  })
})

describe("a deployment that cannot work creates nothing, and says what to do", () => {
  const nothing = () => {
    expect(account.calls.filter(({ method }) => method !== "GET")).toEqual([])
    expect(existsSync(CONFIG)).toBe(false)
  }

  it("where the zone is elsewhere", async () => {
    account.zones = []
    const { failure } = await deploy()
    expect(failure?.reason).toBe("No zone of this account holds mail.example.com.")
    expect(failure?.remedy).toContain("set the nameservers")
    expect(failure?.remedy).toContain(`https://${NAME}.acme.workers.dev`)
    nothing()
  })

  it("where the zone is not active", async () => {
    Object.assign(account.zones[0] ?? {}, {
      status: "pending",
      name_servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
    })
    const { failure } = await deploy()
    expect(failure?.remedy).toContain("ada.ns.cloudflare.com and bob.ns.cloudflare.com")
    nothing()
  })

  it("on Workers Free", async () => {
    account.plan = "free"
    const { failure } = await deploy()
    expect(failure?.reason).toContain("Workers Free")
    expect(failure?.remedy).toContain("Workers Paid")
    nothing()
  })

  it("but goes on where no subscription names a plan of Workers", async () => {
    account.plan = "contract"
    const { failure, lines } = await deploy()
    expect(failure).toBeNull()
    expect(lines).toContain("  not named in the subscriptions; the upload finds out")
  })

  it("where another Worker serves the host", async () => {
    account.domains.push({
      id: "domain-0",
      hostname: "mail.example.com",
      service: "other",
      zone_id: "zone-1",
    })
    expect((await deploy()).failure?.reason).toBe("The Worker 'other' serves mail.example.com.")
    nothing()
  })

  it.each([
    [
      "Worker",
      () =>
        account.scripts.set(NAME, { bindings: [], secrets: [], schedules: [], workersDev: true }),
    ],
    ["bucket", () => account.buckets.set(`${NAME}-content`, { rules: [], objects: ["theirs"] })],
    [
      "queue",
      () =>
        account.queues.push({
          queue_id: "queue-0",
          queue_name: `${NAME}-sends`,
          consumers: [{ type: "worker", consumer_id: "c", script: "other" }],
        }),
    ],
  ])("where a %s of something else has the name", async (_what, clash) => {
    clash()
    expect((await deploy()).failure?.remedy).toContain("Choose another name")
    expect(account.calls.filter(({ method }) => method !== "GET")).toEqual([])
  })

  it("where a database of something else has the name", async () => {
    const { call } = createCloudflare({ url: account.url, token: TOKEN })
    const path = `/accounts/${ACCOUNT}/d1/database`
    const { uuid } = await call<{ uuid: string }>("", "POST", path, { name: NAME })
    await call("", "POST", `${path}/${uuid}/query`, { sql: "create table theirs (id text)" })
    const { failure } = await deploy()
    expect(failure?.reason).toContain(`a database '${NAME}' that is not Edgepost's`)
    const [{ db } = { db: null }] = account.databases.values()
    expect(db?.prepare("select count(*) as n from sqlite_master").get()).toEqual({ n: 1 })
    expect(account.queues).toEqual([])
  })
})

it("Workers Free has too little CPU for the check of a password", async () => {
  const before = process.cpuUsage()
  await hashPassword("correct horse battery staple")
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeGreaterThan(10 * 10)
})

describe("a switch to another provider", () => {
  it("waits for the domains that send", async () => {
    await deploy()
    const [{ db } = { db: null }] = account.databases.values()
    db?.exec(`insert into domains (team_id, id, name, status, provider, created_at, check_at)
      values ('team_1', 'dom_1', 'a.test', 'verified', 'ses', 0, 5000),
        ('team_1', 'dom_2', 'b.test', 'pending', 'sandbox', 0, 5000)`)
    const bindings = account.scripts.get(NAME)?.bindings ?? []
    Object.assign(bindings.find(({ name }) => name === "PROVIDER") ?? {}, { text: "ses" })
    const { failure } = await deploy()
    expect(failure?.reason).toBe("1 verified domains are not verified by 'sandbox' yet.")
    expect(failure?.remedy).toContain('NEXT_PROVIDER = "sandbox"')
    db?.exec(`update domains set next_provider = 'sandbox', next = '{"verifiedAt":1}'`)
    expect((await deploy()).failure).toBeNull()
    // The domain of the earlier provider is checked at once.
    const checks = db?.prepare("select id, check_at from domains order by id").all()
    expect(checks).toMatchObject([{ check_at: 0 }, { check_at: 5000 }])
  })
})

describe("a deployment that stops half-way says what to do, and goes on afterwards", () => {
  it("where the Worker is gone from a database with teams", async () => {
    await deploy()
    const [{ db } = { db: null }] = account.databases.values()
    db?.exec("insert into teams (id, name, created_at) values ('team_1', 'Acme', 0)")
    account.scripts.clear()
    expect((await deploy()).failure?.remedy).toContain(
      "Set SIGNING_KEY, ENCRYPTION_KEYS and ERASURE_KEY",
    )
    const kept = account.buckets.get(`${NAME}-content`)
    kept?.objects.push("installation/keys.json")
    expect((await deploy({ dryRun: true })).failure).toBeNull()
    kept?.objects.pop()
    vi.stubEnv("ENCRYPTION_KEYS", `old:${Buffer.alloc(32).toString("base64")}`)
    expect((await deploy()).failure).toBeNull()
    vi.unstubAllEnvs()
  })

  it("where R2 is not enabled", async () => {
    account.hasR2 = false
    expect((await deploy()).failure?.remedy).toContain("Enable R2")
    account.hasR2 = true
    expect((await deploy()).failure).toBeNull()
  })

  it("where DNS has records of the host", async () => {
    account.dns = ["mail.example.com"]
    expect((await deploy()).failure?.remedy).toContain("delete them")
    expect(await isLive()).toBe(false)
    account.dns = []
    expect((await deploy()).failure).toBeNull()
    expect(await isLive()).toBe(true)
  })

  it("where the plan is not readable and turns out to be Workers Free", async () => {
    account.plan = "free"
    const readable = account.plan
    account.plan = "unreadable"
    const upload: Upload = async (...args) => {
      account.plan = readable
      await uploadFast(...args)
    }
    expect((await deploy({ upload })).failure?.remedy).toContain("Workers Paid")
    expect(account.scripts.size).toBe(0)
  })

  it("where the host does not answer", async () => {
    account.isDown = true
    const { failure } = await deploy()
    expect(failure?.reason).toContain("does not answer as Edgepost: status 404")
    expect(failure?.remedy).toContain("certificate")
    account.isDown = false
    expect((await deploy()).failure).toBeNull()
  })
})

describe("the commands", () => {
  const run = (args: string[], input = "") => runOn(account, args, { input })

  it("deploy shows its progress, and ends with 1 and one line of cause and remedy", async () => {
    account.zones = []
    const { status, out, err } = await run([
      "src/operations/deploy.ts",
      "https://mail.example.com",
      NAME,
    ])
    expect(status).toBe(1)
    expect(out).toMatch(/^Reading the login …\nEdgepost 'deploy-test'\nLogin\n {2}Acme\nPlan\n/)
    const lines = err.split("\n").filter((line) => line.startsWith("Stopped."))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("No zone of this account holds mail.example.com. Add its domain")
  })

  it.each([
    ["http://mail.example.com"],
    ["https://mail.example.com:8443"],
    ["https://mail.example.com/path"],
    ["https://mail.example.com", "Not a name"],
    ["https://mail.example.com", "name", "--dryrun"],
  ])("deploy refuses %s %s", async (...words) => {
    const { status, out } = await run(["src/operations/deploy.ts", ...words])
    expect(status).toBe(1)
    expect(out).toContain("npm run deploy --")
    expect(account.calls).toEqual([])
  })

  it("destroy takes everything away after the name is typed, and only then", async () => {
    await deploy()
    account.buckets.get(`${NAME}-content`)?.objects.push(
      ...Array(1500)
        .fill("")
        .map((_, i) => `o${i}`),
    )
    account.queues.push({ queue_id: "theirs", queue_name: "theirs", consumers: [] })
    const refused = await run(["src/operations/destroy.ts", NAME], "yes\n")
    expect(refused.status).toBe(1)
    expect(account.scripts.size).toBe(1)

    account.failAt = 12
    const stopped = await run(["src/operations/destroy.ts", NAME], `${NAME}\n`)
    expect(stopped.status).toBe(1)
    expect(stopped.err).toContain("Run the same command again")
    const { status, out } = await run(["src/operations/destroy.ts", NAME], `${NAME}\n`)
    expect(out).toContain("is gone")
    expect(status).toBe(0)
    expect(endState()).toEqual({
      databases: [],
      queues: [["theirs", []]],
      buckets: [],
      scripts: [],
      domains: [],
    })
    expect((await run(["src/operations/destroy.ts", NAME])).out).toContain("has no installation")
  })
})
