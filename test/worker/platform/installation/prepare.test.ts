import { applyD1Migrations, reset } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Env } from "../../../../src/worker/platform/env.ts"
import { KEYS_OBJECT } from "../../../../src/worker/platform/installation/keys.ts"
import { makePrepare, NEWEST } from "../../../../src/worker/platform/installation/prepare.ts"
import { eventually } from "../../../support/eventually.ts"
import { metered } from "../../../support/meter.ts"
import { makeClock } from "../../../support/work.ts"

const names = env.TEST_MIGRATIONS.map(({ name }) => name)
const { SIGNING_KEY: _, ENCRYPTION_KEYS, ERASURE_KEY, BASE_URL, ...bindings } = env as Env
const given = env as Env
const bare = bindings as Env

const appliedTo = async (db: D1Database) =>
  (await db.prepare("select name from d1_migrations order by id").all()).results.map(
    ({ name }) => name,
  )

/** A database that does not answer. */
const away = {
  prepare: () => ({ bind: () => ({}) }),
  batch: () => Promise.reject(new Error("D1_ERROR: Network connection lost.")),
} as unknown as D1Database

beforeEach(async () => {
  await env.CONTENT.delete(KEYS_OBJECT)
  await reset()
  vi.spyOn(console, "error").mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())
afterAll(reset)

it("the newest migration that a process asks for is the last one", () => {
  expect(NEWEST).toBe(names.at(-1))
})

describe("the databases", () => {
  it("get all migrations once, by any number of processes, in wrangler's table", async () => {
    const processes = Array.from({ length: 5 }, () => makePrepare())
    await Promise.all(processes.map((prepare) => prepare(given)))
    expect(await appliedTo(env.DB)).toEqual(names)
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    expect(await appliedTo(env.DB)).toEqual(names)
  })

  it("that are new get them in one call", async () => {
    const { roundTrips } = await metered(() => makePrepare()(given))
    // Before it, three find out what the database is, and one notes the newest migration after it.
    expect(roundTrips).toBeLessThanOrEqual(6)
  })

  it("get what is missing after wrangler, or an earlier version, has applied the others", async () => {
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, -3))
    await makePrepare()(given)
    expect(await appliedTo(env.DB)).toEqual(names)
  })

  it("are asked once a process, and no more", async () => {
    await makePrepare()(given)
    const prepare = makePrepare()
    expect((await metered(() => prepare(given))).roundTrips).toBe(1)
    expect((await metered(() => prepare(given))).roundTrips).toBe(0)
  })

  it("are refused if another program made them", async () => {
    await env.DB.batch([
      env.DB.prepare("create table d1_migrations (id integer primary key, name text unique)"),
      env.DB.prepare("insert into d1_migrations (name) values ('0000_theirs.sql')"),
    ])
    await expect(makePrepare()(given)).rejects.toThrow("is not Edgepost's")
  })

  it("are served while one of them is away, which is asked again later", async () => {
    const clock = makeClock()
    const prepare = makePrepare(clock.now)
    await prepare({ ...given, DB_2: env.SECOND, DB_3: away })
    expect(await appliedTo(env.DB)).toEqual(names)
    expect(await appliedTo(env.SECOND)).toEqual(names)
    const later = { ...given, DB_2: env.SECOND }
    expect((await metered(() => prepare(later))).roundTrips).toBe(0)
    clock.advance(10_000)
    expect((await metered(() => prepare(later))).roundTrips).toBeGreaterThan(0)
  })

  it("are migrated by several calls if there are many: an invocation may run 1,000 statements", async () => {
    const further = Array.from({ length: 7 }, (_, index) => [`DB_${index + 2}`, env.SECOND])
    const many = { ...given, ...Object.fromEntries(further) }
    const prepare = makePrepare()
    await expect(prepare(many)).rejects.toThrow("The databases are being prepared.")
    await eventually(() => prepare(many))
    expect(await appliedTo(env.SECOND)).toEqual(names)
  })

  it("are migrated when they are added to an installation", async () => {
    await makePrepare()(given)
    await makePrepare()({ ...given, DB_2: env.SECOND })
    expect(await appliedTo(env.SECOND)).toEqual(names)
  })
})

describe("keys that nobody has set", () => {
  it("are made once for all processes, and are not in the database", async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => makePrepare()(bare, "https://a.test")),
    )
    const [first] = all
    for (const one of all) expect(one).toEqual(first)
    expect(first?.SIGNING_KEY).toHaveLength(44)
    expect(first?.ENCRYPTION_KEYS).toMatch(/^[0-9a-f]{8}:[A-Za-z0-9+/]{43}=$/)
    expect(new Set([first?.SIGNING_KEY, first?.ERASURE_KEY]).size).toBe(2)
    const { results } = await env.DB.prepare("select * from installation").all()
    expect(JSON.stringify(results)).not.toContain(first?.SIGNING_KEY)
  })

  it("do not replace those that are given", async () => {
    const SIGNING_KEY = "a key of 32 characters or even more"
    const prepared = await makePrepare()({ ...bare, SIGNING_KEY }, "https://a.test")
    expect(prepared.SIGNING_KEY).toBe(SIGNING_KEY)
    expect(prepared.ERASURE_KEY).toHaveLength(44)
  })

  it("are not made anew for an installation in use, but count within seconds once they are put back", async () => {
    const { SIGNING_KEY } = await makePrepare()(bare)
    const kept = await (await env.CONTENT.get(KEYS_OBJECT))?.text()
    await env.CONTENT.delete(KEYS_OBJECT)
    await env.DB.prepare("insert into teams (id, name, created_at) values ('t', 'T', 1)").run()
    const clock = makeClock()
    const prepare = makePrepare(clock.now)
    const claimed = { ...bare, BASE_URL: "https://a.test" }
    expect((await prepare(claimed)).SIGNING_KEY).toBeUndefined()
    expect((await env.CONTENT.list()).objects).toEqual([])

    await env.CONTENT.put(KEYS_OBJECT, kept ?? "")
    expect((await prepare(claimed)).SIGNING_KEY).toBeUndefined()
    clock.advance(10_000)
    expect((await prepare(claimed)).SIGNING_KEY).toBe(SIGNING_KEY)
  })
})

describe("the URL of an installation", () => {
  const claim = (url: string) =>
    env.DB.prepare("insert into installation (name, value) values ('BASE_URL', ?)").bind(url).run()

  it("is that of each call until it is claimed, then that of the claim", async () => {
    const prepare = makePrepare()
    expect((await prepare(bare, "https://one.test")).BASE_URL).toBe("https://one.test")
    expect((await prepare(bare, "https://two.test")).BASE_URL).toBe("https://two.test")
    await claim("https://two.test")
    expect((await prepare(bare, "https://one.test")).BASE_URL).toBe("https://two.test")
    expect((await prepare(bare)).BASE_URL).toBe("https://two.test")
  })

  it("is the one that is set", async () => {
    await makePrepare()(bare)
    await claim("https://claimed.test")
    const prepared = await makePrepare()({ ...bare, BASE_URL: "https://set.test" })
    expect(prepared.BASE_URL).toBe("https://set.test")
  })
})
