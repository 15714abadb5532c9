import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Config } from "../../../src/operations/installation.ts"
import { migrationFiles } from "../../../src/operations/migrations.ts"
import { deployTo, runOn, type Wanted } from "./deployment.ts"
import { type FakeAccount, startFakeAccount } from "./fake-account.ts"

const repository = process.cwd()
const realFetch = globalThis.fetch
const FILE = "settings.edgepost.toml"
const CONFIG = "wrangler.edgepost.json"
let account: FakeAccount
let directory: string

const restartAccount = async () => {
  await account?.stop()
  account = await startFakeAccount()
}

beforeEach(async () => {
  await restartAccount()
  vi.stubGlobal("fetch", (input: string, init?: RequestInit) => {
    const { hostname, pathname } = new URL(input)
    return hostname === "127.0.0.1"
      ? realFetch(input, init)
      : realFetch(account.url + pathname, { headers: { "x-host": hostname } })
  })
  directory = mkdtempSync(join(tmpdir(), "edgepost-databases-"))
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
const run = (command: string, args: string[], input = "") =>
  runOn(account, [join(repository, `src/operations/${command}.ts`), ...args], { input })

const names = () => [...account.databases.keys()].sort()
const idOf = (name: string) => account.databases.get(name)?.uuid
const applied = (name: string) =>
  account.databases.get(name)?.db.prepare("select name from d1_migrations order by id").all().length
const bindings = (type: string, name = "edgepost") =>
  account.scripts.get(name)?.bindings.filter((binding) => binding.type === type) ?? []
const boundTo = () => Object.fromEntries(bindings("d1").map(({ name, id }) => [name, id]))
const boundBuckets = () => (JSON.parse(readFileSync(CONFIG, "utf8")) as Config).r2_buckets
const all = migrationFiles().length
const ofAll = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      index === 0 ? "DB" : `DB_${index + 1}`,
      idOf(index === 0 ? "edgepost" : `edgepost-${index + 1}`),
    ]),
  )

describe("a deployment with several databases", () => {
  it("creates, migrates and binds them, and the next one keeps them", async () => {
    const { failure } = await deploy({ databases: { count: 3, jurisdiction: "eu" } })
    expect(failure).toBeNull()
    expect(names()).toEqual(["edgepost", "edgepost-2", "edgepost-3"])
    for (const name of names()) {
      expect(account.databases.get(name)?.place).toEqual({ jurisdiction: "eu" })
      expect(applied(name)).toBe(all)
    }
    expect(boundTo()).toEqual(ofAll(3))
    const [variable] = bindings("plain_text").filter(({ name }) => name === "DATABASES")
    expect(JSON.parse(String(variable?.text))).toEqual(
      [1, 2, 3].map((number) => ({ number, jurisdiction: "eu" })),
    )

    const again = await deploy()
    expect(again.failure).toBeNull()
    expect(again.lines.filter((line) => /creates|adds|changes/.test(line))).toEqual([])
    expect(boundTo()).toEqual(ofAll(3))
  })

  it("keeps contents and queues in the jurisdiction that all databases have", async () => {
    expect((await deploy({ databases: { count: 2, jurisdiction: "eu" } })).failure).toBeNull()
    expect([...account.buckets.keys()]).toEqual(["eu/edgepost-content"])
    expect(new Set(account.queues.map(({ jurisdiction }) => jurisdiction))).toEqual(new Set(["eu"]))
    expect(boundBuckets()).toEqual([
      { binding: "CONTENT", bucket_name: "edgepost-content", jurisdiction: "eu" },
    ])
    expect(account.buckets.get("eu/edgepost-content")?.rules).toHaveLength(5)
    expect((await deploy()).lines.filter((line) => /creates|sets/.test(line))).toEqual([])
  })

  it("gives another jurisdiction a bucket of its own, and moves no bucket that exists", async () => {
    await deploy()
    expect((await deploy({ databases: { more: 1, jurisdiction: "us" } })).failure).toBeNull()
    expect((await deploy({ databases: { more: 1, jurisdiction: "us" } })).failure).toBeNull()
    expect([...account.buckets.keys()]).toEqual(["edgepost-content", "us/edgepost-content-us"])
    expect(account.buckets.get("us/edgepost-content-us")?.rules).toHaveLength(5)
    expect(boundBuckets()).toEqual([
      { binding: "CONTENT", bucket_name: "edgepost-content" },
      { binding: "CONTENT_US", bucket_name: "edgepost-content-us", jurisdiction: "us" },
    ])
    expect(account.queues.every(({ jurisdiction }) => jurisdiction === undefined)).toBe(true)
  })

  it("changes nothing of an installation with one database", async () => {
    await deploy()
    expect(names()).toEqual(["edgepost"])
    expect(readFileSync(FILE, "utf8")).not.toContain("databases")
    expect(bindings("plain_text").map(({ name }) => name)).not.toContain("DATABASES")
  })

  it("adds databases later, which have a jurisdiction or a location of their own", async () => {
    await deploy()
    expect((await deploy({ databases: { count: 2, location: "weur" } })).failure).toBeNull()
    expect((await deploy({ databases: { more: 1, jurisdiction: "us" } })).failure).toBeNull()
    expect(account.databases.get("edgepost-2")?.place).toEqual({ primary_location_hint: "weur" })
    expect(account.databases.get("edgepost-3")?.place).toEqual({ jurisdiction: "us" })
    const [variable] = bindings("plain_text").filter(({ name }) => name === "DATABASES")
    expect(variable?.text).toBe('[{"number":3,"jurisdiction":"us"}]')
    expect(boundTo()).toEqual(ofAll(3))
  })

  it("reaches the same state when any one of its calls fails", async () => {
    await deploy({ databases: { count: 3, jurisdiction: "eu" } })
    const calls = account.calls.length
    for (let failing = 0; failing < calls; failing += 7) {
      await restartAccount()
      for (const file of [FILE, CONFIG]) rmSync(file, { force: true })
      account.failAt = failing
      const { failure } = await deploy({ databases: { count: 3, jurisdiction: "eu" } })
      if (failure) {
        expect(failure.remedy).toBe("Run the same command again: it goes on where it stopped.")
        // Without its options, too: the file of settings has what was asked for.
        const again = existsSync(FILE)
          ? {}
          : { databases: { count: 3, jurisdiction: "eu" } as const }
        expect((await deploy(again)).failure).toBeNull()
      }
      expect(boundTo()).toEqual(ofAll(3))
      expect(names().map(applied)).toEqual([all, all, all])
      expect(names().map((name) => account.databases.get(name)?.place)).toEqual(
        Array(3).fill({ jurisdiction: "eu" }),
      )
    }
  }, 400_000)

  it("an addition that stopped goes on with the same command, and adds no more", async () => {
    await deploy()
    account.refusals.push({
      path: "/scripts/edgepost",
      method: "PUT",
      status: 500,
      code: 1,
      message: "no",
    })
    expect((await deploy({ databases: { more: 2 } })).failure).not.toBeNull()
    expect(names()).toHaveLength(3)
    account.refusals.length = 0
    expect((await deploy({ databases: { more: 2 } })).failure).toBeNull()
    expect(names()).toHaveLength(3)
    expect(boundTo()).toEqual(ofAll(3))
  })

  it("never leaves out a database that the Worker works with", async () => {
    await deploy({ databases: { count: 3, jurisdiction: "eu" } })
    rmSync(FILE)
    expect((await deploy()).failure).toBeNull()
    expect(boundTo()).toEqual(ofAll(3))
    const { failure } = await deploy({ databases: { count: 2 } })
    expect(failure?.reason).toBe("The installation has 3 databases.")
  })

  it("changes no jurisdiction of a database that exists", async () => {
    await deploy({ databases: { count: 2 } })
    const asked = await deploy({ databases: { jurisdiction: "eu" } })
    expect(asked.failure?.remedy).toContain("npm run databases -- add 1 --jurisdiction eu")
    appendFileSync(FILE, 'jurisdiction = "eu"\n')
    expect((await deploy()).failure?.reason).toContain("Database 2 has no jurisdiction")
  })

  it("takes no database of an installation whose name ends with a number", async () => {
    await deploy({ name: "edgepost-2" })
    const { failure } = await deploy({ databases: { count: 2 } })
    expect(failure?.reason).toBe(
      "The database 'edgepost-2' is that of the installation 'edgepost-2'.",
    )
    expect(names()).toEqual(["edgepost-2"])
    await restartAccount()
    rmSync("settings.edgepost-2.toml")
    await deploy({ databases: { count: 2 } })
    const other = await deploy({ name: "edgepost-2" })
    expect(other.failure?.reason).toContain("is database 2 of the installation 'edgepost'")
  })

  it("only says in a dry run what it would create", async () => {
    const { lines } = await deploy({ dryRun: true, databases: { count: 2, jurisdiction: "eu" } })
    expect(lines).toContain("  would: creates the database edgepost-2, jurisdiction eu")
    expect(names()).toEqual([])
  })
})

describe("the commands", () => {
  it("deploy --adopt writes the databases of the Worker into both files", async () => {
    await deploy({ databases: { count: 3, jurisdiction: "eu" } })
    const config = readFileSync(CONFIG, "utf8")
    for (const file of [FILE, CONFIG]) rmSync(file)
    const adopted = await run("deploy", ["--adopt"])
    expect(adopted.err).toBe("")
    expect(JSON.parse(readFileSync(CONFIG, "utf8"))).toEqual(JSON.parse(config))
    expect(readFileSync(FILE, "utf8")).toContain('[[databases]]\nnumber = 3\njurisdiction = "eu"\n')
    expect((await deploy()).failure).toBeNull()
    expect(boundTo()).toEqual(ofAll(3))
  })

  it("databases lists each with its teams and size, and names one that does not answer", async () => {
    await deploy({ databases: { count: 3, jurisdiction: "eu" } })
    account.databases
      .get("edgepost-2")
      ?.db.exec("insert into teams (id, name, created_at) values ('team_1', 'Acme', 0)")
    account.refusals.push({
      path: `${idOf("edgepost-3")}/query`,
      status: 500,
      code: 7500,
      message: "D1 is away",
    })
    const { out, err, status } = await run("databases", [])
    expect([err, status]).toEqual(["", 0])
    expect(out).toMatch(/1 .*'edgepost' .*'eu' .*'\d MB'.* 0 .* 0 .*never at this rate/)
    expect(out).toMatch(/2 .*'edgepost-2' .*'eu' .* 1 /)
    expect(out).toMatch(/3 .*'edgepost-3' .*'\?'.*D1 is away/)
  })

  it.each([
    ["databases", ["add"]],
    ["databases", ["add", "0"]],
    ["databases", ["add", "1", "--jurisdiction", "mars"]],
    ["databases", ["add", "1", "--jurisdiction", "eu", "--location", "weur"]],
    ["databases", ["missing"]],
    ["deploy", ["--databases", "5000"]],
    ["deploy", ["--databases"]],
  ])("%s %j is refused with its usage", async (command, words) => {
    const { status, out } = await run(command, words)
    expect(status).toBe(1)
    expect(out).toContain(`npm run ${command} --`)
    expect(account.calls).toEqual([])
  })

  it("destroy takes all databases away, also if it stopped after the Worker", async () => {
    await deploy({ databases: { count: 3 } })
    await deploy({ name: "edgepost-4" })
    account.refusals.push({ path: "/r2/", method: "DELETE", status: 500, code: 1, message: "no" })
    expect((await run("destroy", ["edgepost"], "edgepost\n")).status).toBe(1)
    expect(account.scripts.has("edgepost")).toBe(false)
    account.refusals.length = 0
    const { out, status } = await run("destroy", ["edgepost"], "edgepost\n")
    expect(status).toBe(0)
    expect(out).toContain("takes away the database edgepost-3")
    expect(names()).toEqual(["edgepost-4"])
  })
})
