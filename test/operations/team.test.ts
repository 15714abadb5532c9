import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { migrateLocal } from "../support/local-databases.ts"

/** Longer than a first try takes. */
const LOCKED_MS = 6_000

const directory = mkdtempSync(join(tmpdir(), "edgepost-team-"))
const start = (command: string, args: string[]) =>
  spawnSync(command, args, { cwd: directory, encoding: "utf8", env: { ...process.env, CI: "1" } })
const run = (command: string, ...args: string[]) =>
  start("node", [resolve(`src/operations/${command}.ts`), ...args]).stdout

/** The local database is a file. */
function openDatabase(): DatabaseSync {
  const folder = join(directory, ".wrangler/state/v3/d1/miniflare-D1DatabaseObject")
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) as string
  return new DatabaseSync(join(folder, file))
}

function select(sql: string) {
  const db = openDatabase()
  const rows = db.prepare(sql).all()
  db.close()
  return rows
}

let withoutTables: string[]
beforeAll(async () => {
  cpSync("wrangler.toml", join(directory, "wrangler.toml"))
  symlinkSync(resolve("migrations"), join(directory, "migrations"))
  withoutTables = ["dead-letters", "rotate-keys"].map(
    (command) => start("node", [resolve(`src/operations/${command}.ts`)]).stderr,
  )
  await migrateLocal(directory)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

it("commands say where tables come from while there are none", () => {
  expect(withoutTables).toEqual(
    withoutTables.map(() => expect.stringMatching(/^The database has no tables yet\. .*\n.*\n$/)),
  )
})

it("a second team of the same person keeps the password and the sessions", () => {
  expect(run("team", "First", "owner@example.com")).toMatch(/owner@example\.com \/ \S{16}/)
  const [account] = select("select password from accounts")
  select(
    "insert into sessions (id, token, user_id, expires_at, created_at, updated_at) select 's', 't', id, 9e12, 0, 0 from users",
  )
  expect(run("team", "Second", "Owner@example.com")).toContain(
    "with the password of the account that exists",
  )
  expect(select("select password from accounts")).toEqual([account])
  expect(select("select count(*) as n from sessions")).toEqual([{ n: 1 }])
  expect(select("select role from members")).toEqual([{ role: "owner" }, { role: "owner" }])
})

it("removes the second factor of a person, who is signed out", () => {
  select(
    "insert into second_factors (id, user_id, secret, backup_codes, verified) select 's', id, 'x', 'x', 1 from users",
  )
  select("update users set two_factor_enabled = 1")
  expect(run("team", "--remove-second-factor", "Owner@example.com")).toContain(
    "owner@example.com signs in without a code",
  )
  expect(select("select count(*) as n from second_factors")).toEqual([{ n: 0 }])
  expect(select("select two_factor_enabled as enabled from users")).toEqual([{ enabled: 0 }])
  expect(select("select count(*) as n from sessions")).toEqual([{ n: 0 }])
  expect(
    start("node", [resolve("src/operations/team.ts"), "--remove-second-factor", "a@b.test"]),
  ).toMatchObject({
    status: 1,
    stderr: "Nobody has the address a@b.test\n",
  })
})

it("a command waits for a local database that somebody else is writing", async () => {
  const db = openDatabase()
  db.exec("begin exclusive")
  const child = spawn("node", [resolve("src/operations/team.ts"), "Third", "third@example.com"], {
    cwd: directory,
    env: { ...process.env, CI: "1" },
  })
  await setTimeout(LOCKED_MS)
  expect(child.exitCode).toBe(null)
  db.exec("commit")
  db.close()
  expect(await once(child, "exit")).toEqual([0, null])
  expect(select("select count(*) as n from teams where name = 'Third'")).toEqual([{ n: 1 }])
}, 60_000)

it("says in a sentence that nothing is listed", () => {
  expect(run("dead-letters")).toBe("There are no dead letters.\n")
  expect(run("rotate-keys")).toBe("No stored secret is sealed yet: there is nothing to do.\n")
})

it("a backup has no sessions, and only its owner may read it", () => {
  expect(run("backup", "backups/test.sql")).toContain("backups/test.sql has the database")
  expect(statSync(join(directory, "backups")).mode & 0o777).toBe(0o700)
  expect(statSync(join(directory, "backups/test.sql")).mode & 0o777).toBe(0o600)
  expect(start("grep", ["-c", 'INTO "teams"', "backups/test.sql"]).stdout.trim()).toBe("3")
  expect(start("grep", ["-c", 'INTO "sessions"', "backups/test.sql"]).stdout.trim()).toBe("0")
})
