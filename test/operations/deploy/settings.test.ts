import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { deployTo, runOn, type Wanted } from "./deployment.ts"
import { ACCOUNT, type FakeAccount, startFakeAccount } from "./fake-account.ts"

const repository = process.cwd()
const realFetch = globalThis.fetch
const FILE = "settings.edgepost.toml"
const CONFIG = "wrangler.edgepost.json"
let account: FakeAccount
let directory: string

beforeEach(async () => {
  account = await startFakeAccount()
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) => {
    const { hostname, pathname } = new URL(input)
    return hostname === "127.0.0.1"
      ? realFetch(input, init)
      : realFetch(account.url + pathname, { headers: { "x-host": hostname } })
  })
  directory = mkdtempSync(join(tmpdir(), "edgepost-settings-"))
  cpSync("wrangler.toml", join(directory, "wrangler.toml"))
  symlinkSync(resolve("migrations"), join(directory, "migrations"))
  process.chdir(directory)
})

afterEach(async () => {
  process.chdir(repository)
  vi.unstubAllGlobals()
  rmSync(directory, { recursive: true, force: true })
  await account.stop()
})

const deploy = (wanted: Wanted = {}) => deployTo(account, { url: null, ...wanted })
const settings = () => readFileSync(FILE, "utf8")
const deployedVars = (name = "edgepost") =>
  Object.fromEntries(
    account.scripts
      .get(name)
      ?.bindings.filter(({ type }) => type === "plain_text")
      .map((binding) => [binding.name, binding.text]) ?? [],
  )
const editTemplate = (...lines: string[]) =>
  writeFileSync(
    "wrangler.toml",
    readFileSync("wrangler.toml", "utf8").replace("[vars]\n", ["[vars]", ...lines, ""].join("\n")),
  )

/** As after `wrangler deploy` and a claim: no files, and no variable BASE_URL. */
async function deployByWrangler(claimedAt: string) {
  await deploy()
  for (const file of [FILE, CONFIG]) rmSync(file)
  const script = account.scripts.get("edgepost")
  if (script) script.bindings = script.bindings.filter(({ name }) => name !== "BASE_URL")
  const { db } = account.databases.get("edgepost") ?? {}
  db?.exec(`insert into installation (name, value) values ('BASE_URL', '${claimedAt}')`)
}

const run = (command: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
  runOn(account, [join(repository, `src/operations/${command}.ts`), ...args], { env })

describe("the settings of an installation", () => {
  it("are in a file of its own that git ignores and only its owner reads", async () => {
    expect((await deploy({ url: "https://mail.example.com" })).failure).toBeNull()
    expect(settings()).toContain('BASE_URL = "https://mail.example.com"\n')
    expect(statSync(FILE).mode & 0o777).toBe(0o600)
    const ignored = spawnSync("git", ["check-ignore", FILE, CONFIG], {
      cwd: repository,
      encoding: "utf8",
    })
    expect(ignored.stdout).toBe(`${FILE}\n${CONFIG}\n`)

    writeFileSync(FILE, `${settings()}SEND_RATE = 14\nSYSTEM_FROM="edgepost@acme.com"\n`)
    const { failure, lines } = await deploy()
    expect(failure).toBeNull()
    expect(lines).toContain("  changes SEND_RATE, SYSTEM_FROM")
    expect(deployedVars()).toEqual({
      BASE_URL: "https://mail.example.com",
      PROVIDER: "sandbox",
      SEND_RATE: "14",
      SYSTEM_FROM: "edgepost@acme.com",
      WORKER_NAME: "edgepost",
    })

    const second = await deploy({ name: "second", url: "https://other.example.com" })
    expect(second.failure).toBeNull()
    expect(deployedVars("second")).toEqual({
      BASE_URL: "https://other.example.com",
      PROVIDER: "sandbox",
      WORKER_NAME: "second",
    })
  })

  it.each([
    ['PROVIDR = "ses"', "PROVIDR is no setting (PROVIDER?)"],
    ['PROVIDER = "sess"', "PROVIDER: "],
    ["SEND_RATE = -1", "SEND_RATE: "],
    ["PROVIDER=ses", "line 1: "],
    ['BASE_URL = "http://mail.example.com"', "BASE_URL: must be a URL such as"],
    [`SIGNING_KEY = "${"x".repeat(32)}"`, "SIGNING_KEY must be a secret"],
  ])("are refused before anything changes: %s", async (line, reason) => {
    writeFileSync(FILE, line)
    const { failure } = await deploy()
    expect(failure?.reason).toContain(FILE)
    expect(failure?.reason).toContain(reason)
    expect(account.calls.filter(({ method }) => method !== "GET")).toEqual([])
  })

  it("move from wrangler.toml into the file, and count there from then on", async () => {
    editTemplate('PROVIDER="ses"', 'SYSTEM_FROM = "edgepost@acme.com"')
    const dry = await deploy({ dryRun: true })
    expect(dry.lines).toContain(`  would: writes ${FILE}`)
    expect(existsSync(FILE)).toBe(false)
    const { lines } = await deploy()
    expect(lines).toContain(
      `  moves PROVIDER, SYSTEM_FROM from wrangler.toml into ${FILE}; then run: git checkout wrangler.toml`,
    )
    expect(deployedVars()).toMatchObject({ PROVIDER: "ses", SYSTEM_FROM: "edgepost@acme.com" })
    writeFileSync(FILE, settings().replace('"ses"', '"smtp"'))
    await deploy()
    expect(deployedVars().PROVIDER).toBe("smtp")
    await deploy({ name: "second", url: "https://other.example.com" })
    expect(deployedVars("second").PROVIDER).toBe("sandbox")
  })

  it("are those that are deployed where the file is missing", async () => {
    await deploy()
    writeFileSync(FILE, `${settings()}SEND_RATE = 14\n`)
    await deploy()
    rmSync(FILE)
    account.scripts.get("edgepost")?.bindings.push({ type: "plain_text", name: "OLD", text: "1" })
    const { lines } = await deploy()
    expect(lines).toContain("  leaves out OLD: no setting")
    expect(settings()).toContain('SEND_RATE = "14"')
    expect(deployedVars()).toMatchObject({ SEND_RATE: "14" })
  })

  it("have the URL of the claim where there is no other", async () => {
    await deployByWrangler("https://mail.example.com")
    const { failure, lines } = await deploy()
    expect(failure).toBeNull()
    expect(lines.filter((line) => line.startsWith("  changes"))).toEqual([])
    expect(deployedVars().BASE_URL).toBe("https://mail.example.com")
  })

  it("take a URL with a slash and in capitals from a variable or Workers Builds", async () => {
    const url = "https://MAIL.example.com/"
    await deploy({ url: "https://mail.example.com" })
    for (const file of [FILE, CONFIG]) rmSync(file)
    const bindings = account.scripts.get("edgepost")?.bindings ?? []
    Object.assign(bindings.find(({ name }) => name === "BASE_URL") ?? {}, { text: url })
    const adopted = await run("deploy", [url, "--adopt"])
    expect(adopted.out).toContain("has the settings of https://mail.example.com.")
    const again = await run("deploy", [url, "--adopt"])
    expect([again.status, again.err]).toEqual([0, ""])

    for (const file of [FILE, CONFIG]) rmSync(file)
    expect((await deploy()).failure).toBeNull()
    expect(settings()).toContain('BASE_URL = "https://mail.example.com"\n')
    editTemplate(`BASE_URL = "${url}"`)
    vi.stubEnv("WORKERS_CI", "1")
    expect((await deploy()).failure).toBeNull()
    vi.unstubAllEnvs()
    expect(deployedVars().BASE_URL).toBe("https://mail.example.com")
  })

  it("come from wrangler.toml in Workers Builds, which has no file", async () => {
    editTemplate('PROVIDER = "ses"')
    vi.stubEnv("WORKERS_CI", "1")
    await deploy()
    writeFileSync(
      "wrangler.toml",
      readFileSync("wrangler.toml", "utf8").replace('PROVIDER = "ses"\n', ""),
    )
    expect((await deploy()).failure).toBeNull()
    vi.unstubAllEnvs()
    expect(deployedVars().PROVIDER).toBe("sandbox")
    expect(existsSync(FILE)).toBe(false)
  })
})

describe("another machine", () => {
  it("gets the files of an installation back from its URL, and changes nothing", async () => {
    await deploy({ name: "second", url: "https://mail.example.com" })
    const [file, config] = ["settings.second.toml", "wrangler.second.json"]
    writeFileSync(file, `${readFileSync(file, "utf8")}SEND_RATE = 14\n`)
    await deploy({ name: "second" })
    const wanted = readFileSync(config, "utf8")
    for (const name of [file, config]) rmSync(name)

    const none = await run("backup", ["--remote"])
    expect([none.status, none.err]).toEqual([
      1,
      "This machine has no deployed installation. Run: npm run deploy -- URL --adopt\n",
    ])
    account.calls.length = 0
    const { status, out } = await run("deploy", ["https://mail.example.com", "--adopt"])
    expect(status).toBe(0)
    expect(out).toContain(`${file} has the settings of https://mail.example.com.`)
    expect(account.calls.filter(({ method }) => method !== "GET")).toEqual([])
    expect(readFileSync(file, "utf8")).toContain('SEND_RATE = "14"')
    expect(readFileSync(config, "utf8")).toBe(wanted)

    writeFileSync(file, 'SEND_RATE = 15\nBASE_URL = "https://mail.example.com"')
    const again = await run("deploy", ["https://mail.example.com", "--adopt"])
    expect(again.err).toContain("differs from what is deployed: SEND_RATE, PROVIDER.")
    const missing = await run("deploy", ["https://no.example.com", "--adopt"])
    expect(missing.err).toContain("has no installation https://no.example.com.")
  })

  it("gets the URL of the claim where there is no other", async () => {
    await deployByWrangler("https://mail.example.com")
    const attached = { id: "domain-0", hostname: "mail.example.com", service: "edgepost" }
    account.domains.push({ ...attached, zone_id: "zone-1" })
    const { status, err } = await run("deploy", ["https://mail.example.com", "--adopt"])
    expect([status, err]).toEqual([0, ""])
    expect(settings()).toContain('BASE_URL = "https://mail.example.com"\n')
    expect(JSON.parse(readFileSync(CONFIG, "utf8")).workers_dev).toBe(false)
  })

  it("asks which installation is meant, by URL", async () => {
    await deploy({ url: "https://mail.example.com" })
    await deploy({ name: "second", url: "https://other.example.com" })
    const { status, err } = await run("rotate-keys", ["--remote"])
    expect(status).toBe(1)
    expect(err).toContain("--remote=URL")
    expect(err).toContain("second (https://other.example.com)")
    const deployed = await run("deploy", ["--dry-run"])
    expect(deployed.err).toContain("edgepost (https://mail.example.com)")
    const chosen = await run("deploy", ["https://other.example.com", "--dry-run"])
    expect(chosen.out).toContain("Edgepost 'second'")
    writeFileSync("settings.second.toml", 'BASE_URL = "https://post.example.com"')
    const moving = await run("deploy", ["https://post.example.com", "--dry-run"])
    expect(moving.out).toContain("Edgepost 'second'")
    const unknown = await run("rotate-keys", ["--remote=https://no.example.com"])
    expect(unknown.err).toContain("no deployed installation 'https://no.example.com'")
  })
})

describe("a deployment names in one line", () => {
  const stopped = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { status, err } = await run("deploy", args, env)
    expect(status).toBe(1)
    expect(err.trim().split("\n")).toHaveLength(1)
    return err
  }

  it.each(["two words", "line\nbreak", "tokén"])(
    "a malformed token, but not its text: %s",
    async (token) => {
      const err = await stopped([], { CLOUDFLARE_API_TOKEN: token })
      expect(err).toContain("CLOUDFLARE_API_TOKEN is no API token")
      expect(err).not.toContain(token)
      expect(account.calls).toEqual([])
    },
  )

  it.each([
    ["D1 Edit", "/d1/database"],
    ["Queues Edit", "/queues"],
    ["Workers R2 Storage Edit", "/r2/buckets"],
    ["Workers Scripts Edit", "/workers/scripts"],
  ])("the missing permission %s", async (permission, path) => {
    account.refusals.push({ path, status: 403, code: 10000, message: "Authentication error" })
    const { failure } = await deploy()
    expect(failure?.remedy).toContain(`the permission ${permission},`)
  })

  it("the limit of queues", async () => {
    const message = "You have reached the maximum number of queues"
    account.refusals.push({ path: "/queues", method: "POST", status: 403, code: 11000, message })
    const { failure } = await deploy()
    expect(failure?.reason).toContain(message)
    expect(failure?.remedy).toContain("as many queues as it may have")
  })

  it.each([
    ["http://mail.example.com", "needs https"],
    ["https://mail.example.com/path", "no port or path"],
    ["mail.example.com", "a URL begins with https://"],
  ])("a bad URL: %s", async (url, fault) => {
    const { err } = await run("deploy", [url])
    expect(err.trim().split("\n")).toHaveLength(1)
    expect(err).toContain(fault)
  })

  it("no account", async () => {
    const err = await stopped([], { CLOUDFLARE_ACCOUNT_ID: `${ACCOUNT}x` })
    expect(err).toContain("no access to the account")
  })
})
