import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { keepLocalDatabases, LOCAL_STATE } from "../../src/operations/local/local-databases.ts"
import { databaseOfHash } from "../../src/worker/access/keys/secret.ts"
import { migrateLocal, useLocalDatabases } from "../support/local-databases.ts"

const repository = process.cwd()
const directory = mkdtempSync(join(tmpdir(), "edgepost-databases-"))
const run = (command: string, ...args: string[]) =>
  spawnSync("node", [resolve(repository, `src/operations/${command}.ts`), ...args], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, CI: "1" },
  })
type Row = Record<string, string>
const on = (binding: string, sql: string) =>
  useLocalDatabases(directory, async ({ [binding]: database }) => {
    const { results } = await database!.prepare(sql).all<Row>()
    return results as [Row, ...Row[]]
  })

beforeAll(async () => {
  cpSync("wrangler.toml", join(directory, "wrangler.toml"))
  symlinkSync(resolve("migrations"), join(directory, "migrations"))
  process.chdir(directory)
  await keepLocalDatabases(LOCAL_STATE, 2)
  await migrateLocal(directory)
})
afterAll(() => {
  process.chdir(repository)
  rmSync(directory, { recursive: true, force: true })
})

it("a state keeps the databases that it was started with", async () => {
  expect(await keepLocalDatabases(LOCAL_STATE, 1)).toEqual([1, 2])
})

it("a team is made in the database that is asked for, or in the emptiest one", async () => {
  expect(run("team", "First", "ada@example.com", "--database", "2").stdout).toMatch(/Database +2\n/)
  expect(run("team", "Second", "ada@example.com").stdout).toMatch(/Database +1\n/)
  const [team] = await on("DB_2", "select id, name from teams")
  expect(team.name).toBe("First")
  expect(await on("DB", "select team_id, database from team_databases")).toEqual([
    { team_id: team.id, database: 2 },
  ])
  const [key] = await on("DB_2", "select secret_hash from api_keys")
  expect(databaseOfHash(key.secret_hash as string)).toBe(2)
  expect(await on("DB", "select secret_hash, team_id from key_teams")).toEqual([
    { ...key, team_id: team.id },
  ])
  expect(await on("DB", "select count(*) as members from members")).toEqual([{ members: 2 }])
  expect(run("erase", team.id as string, "ada@example.com").stdout).toBe(
    "Database 2: It will be erased within a minute.\n",
  )
  expect(await on("DB_2", "select count(*) as erasures from erasures")).toEqual([{ erasures: 1 }])
}, 1_200_000)

it("a backup is refused while a team moves", async () => {
  const [{ id }] = await on("DB_2", "select id from teams")
  await on(
    "DB",
    `insert into team_moves (team_id, source, target, phase, requested_at) values ('${id}', 2, 1, 'copying', 1)`,
  )
  const refused = run("backup", "backups/moving.sql")
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(`The team ${id} is on its way to another database`)
  expect(existsSync("backups/moving.sql")).toBe(false)
  await on("DB", "delete from team_moves")
}, 1_200_000)

it("a backup of all databases is restored into as many", async () => {
  expect(run("backup", "backups/all.sql").stdout).toContain(
    "Database 2: backups/all.2.sql has the database.",
  )
  rmSync(join(LOCAL_STATE, "v3"), { recursive: true })
  await migrateLocal(directory)
  const restored = run("restore", "backups/all.sql")
  expect([restored.status, restored.stderr]).toEqual([0, ""])
  expect(restored.stdout).toMatch(
    /Database 1: Restored: 1 teams\..*Database 2: Restored: 1 teams\./s,
  )
  expect(run("restore", "backups/all.sql").stderr).toContain("The database has teams")
  rmSync("backups/all.2.sql")
  expect(run("restore", "backups/all.sql").stderr).toContain("backups/all.2.sql is missing")
}, 1_200_000)
