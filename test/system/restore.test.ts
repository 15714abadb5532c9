import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, it } from "vitest"
import { migrateLocal, useLocalDatabases } from "../support/local-databases.ts"
import { type DevServer, startDevServer } from "./dev-server.ts"

const PATHS = [
  "/me",
  "/emails?limit=100",
  "/domains",
  "/api-keys",
  "/webhooks",
  "/suppressions",
  "/templates",
  "/templates/large",
  "/contact-books",
  "/campaigns",
  "/stats",
]

const makeDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-restore-"))
  cpSync("wrangler.toml", join(directory, "wrangler.toml"))
  symlinkSync(resolve("migrations"), join(directory, "migrations"))
  return directory
}
const [old, fresh] = [makeDirectory(), makeDirectory()]
const servers: DevServer[] = []
const WAIT = { timeout: 60_000, interval: 500 }

afterAll(async () => {
  for (const server of servers) await server.dispose()
  for (const directory of [old, fresh]) rmSync(directory, { recursive: true, force: true })
})

async function start(directory: string) {
  const server = await startDevServer({ directory })
  servers.push(server)
  return server
}

const run = (directory: string, command: string, ...args: string[]) =>
  spawnSync("node", [resolve(`src/operations/${command}.ts`), ...args], {
    cwd: directory,
    encoding: "utf8",
  })

async function post({ call }: DevServer, path: string, body: unknown = {}) {
  const response = await call("POST", `/api/v1${path}`, body)
  expect(response.ok).toBe(true)
  return (await response.json()) as { id: string }
}

async function fill(server: DevServer) {
  const html = `<p>${"O'Brien; -- 日本語 \\n </p>".repeat(20)}</p>`
  await post(server, "/emails", {
    from: "a@demo.test",
    to: "bounce@simulator.amazonses.com",
    subject: "'; drop table",
    html,
  })
  const large = Array.from({ length: 60_000 }, () => Math.random().toString(36).slice(2)).join(" ")
  const { id } = await post(server, "/emails", {
    from: "a@demo.test",
    to: "b@c.test",
    subject: "large",
    text: large,
  })
  const later = new Date(Date.now() + 86_400_000).toISOString()
  await post(server, "/emails", {
    from: "a@demo.test",
    to: "b@c.test",
    subject: "later",
    text: "t",
    scheduledAt: later,
  })
  await post(server, "/webhooks", { url: "https://example.com/hook", events: ["domain.failed"] })
  await post(server, "/suppressions", { email: "no@c.test", note: "line\none" })
  await post(server, "/templates", {
    slug: "a",
    name: "A",
    subject: "s",
    bodyHtml: "<p>{{ x }}</p>",
  })
  const book = await post(server, "/contact-books", { name: "Book" })
  await post(server, `/contact-books/${book.id}/contacts`, {
    email: "x@c.test",
    properties: { city: "Köln" },
  })
  // D1 refuses a statement of 100 KB, but not a value.
  await post(server, "/templates", {
    slug: "large",
    name: "Large",
    subject: "s",
    bodyHtml: "<p>It's 日本語 😀; </p>".repeat(8_000),
  })
  return id
}

/** All tables, indexes and triggers. */
const readSchema = (directory: string) =>
  useLocalDatabases(directory, async ({ DB }) => {
    const schema = DB?.prepare(
      "select type, name, sql from sqlite_master order by type, name",
    ).all()
    return (await schema)?.results.map(({ type, name, sql }) => [type, name, sql])
  })

/** Two people in a sequence, with a day to wait. */
async function startRuns(server: DevServer) {
  const reply = await server.call("GET", "/api/v1/domains")
  const { data } = (await reply.json()) as { data: { id: string }[] }
  const book = await post(server, "/contact-books", { name: "Readers" })
  const sequence = await post(server, "/sequences", {
    ...{ bookId: book.id, name: "Welcome", domainId: data[0]?.id, from: "news@demo.test" },
    trigger: { on: "call" },
    steps: [
      { key: "pause", kind: "wait", for: "1d" },
      { key: "tell", kind: "notify" },
    ],
  })
  await post(server, `/sequences/${sequence.id}/activate`)
  for (const name of ["due", "later"]) {
    const { id } = await post(server, `/contact-books/${book.id}/contacts`, {
      email: `${name}@c.test`,
    })
    await post(server, `/sequences/${sequence.id}/contacts`, { contactIds: [id] })
  }
  await expect.poll(() => runsOf(server, sequence.id), WAIT).toEqual(["waiting", "waiting"])
  return sequence.id
}

/** The newest first. A run that has not begun has no step. */
async function runsOf({ call }: DevServer, sequenceId: string) {
  const reply = await call("GET", `/api/v1/sequences/${sequenceId}/runs`)
  const { data } = (await reply.json()) as { data: { state: string; stepKey: string | null }[] }
  return data.map(({ state, stepKey }) => (state === "waiting" && !stepKey ? "new" : state))
}

/** The newest first. */
async function statusesOf({ call }: DevServer) {
  const reply = await call("GET", "/api/v1/emails")
  const { data } = (await reply.json()) as { data: { status: string }[] }
  return data.map(({ status }) => status)
}

async function readAll({ call, credentials }: DevServer, emailId: string) {
  const replies: Record<string, unknown> = {}
  for (const path of [...PATHS, `/emails/${emailId}`, `/emails/${emailId}/explain`]) {
    const response = await call("GET", `/api/v1${path}`)
    replies[path] = [response.status, await response.json()]
  }
  const text = JSON.stringify(replies).replaceAll(credentials.baseUrl, "")
  return JSON.parse(text.replaceAll(/"lastUsedAt":"[^"]*"/g, '"lastUsedAt":""'))
}

it("a restored backup answers as the database before", async () => {
  const server = await start(old)
  const emailId = await fill(server)
  const sequenceId = await startRuns(server)
  await expect.poll(() => statusesOf(server), WAIT).toEqual(["scheduled", "delivered", "bounced"])
  const before = await readAll(server, emailId)
  await server.kill()
  // The older run is due after the backup begins, and before the restore.
  const day = 86_400_000
  server.execute(`update sequence_runs set since = since - ${day}, due_at = ${Date.now() + 1}
    where id = (select min(id) from sequence_runs)`)

  const file = join(old, "backup.sql")
  const backup = run(old, "backup", file)
  expect([backup.status, backup.stderr]).toEqual([0, ""])
  expect(JSON.parse(readFileSync(`${file}.json`, "utf8"))).toMatchObject({ installation: "local" })

  // A new installation: migrated, without teams. The secrets and the bucket are the old ones.
  await migrateLocal(fresh)
  const restore = run(fresh, "restore", file)
  expect([restore.status, restore.stderr]).toEqual([0, ""])
  expect(restore.stdout).toMatch(/Restored: \d+ teams\. 0 emails were waiting/)
  expect(restore.stdout).toContain("1 runs of sequences were due, and are held")
  expect(restore.stdout).toMatch(/^Secrets of webhooks and forms are sealed with the key \w+\./m)
  expect(await readSchema(fresh)).toEqual(await readSchema(old))
  expect(run(fresh, "restore", "status").stdout).toContain("The comparison goes on.")
  mkdirSync(join(fresh, ".wrangler/state/v3"), { recursive: true })
  if (existsSync(join(old, ".wrangler/state/v3/r2"))) {
    cpSync(join(old, ".wrangler/state/v3/r2"), join(fresh, ".wrangler/state/v3/r2"), {
      recursive: true,
    })
  }
  cpSync(join(old, "dev"), join(fresh, "dev"), { recursive: true })
  const restored = await start(fresh)
  expect(await readAll(restored, emailId)).toEqual(before)
  expect(await runsOf(restored, sequenceId)).toEqual(["waiting", "held"])
  await post(restored, `/sequences/${sequenceId}/resume`)
  await expect.poll(() => runsOf(restored, sequenceId), WAIT).toEqual(["waiting", "done"])

  const again = run(fresh, "restore", file)
  expect([again.status, again.stdout]).toEqual([1, ""])
  expect(again.stderr).toContain("The database has teams")
}, 1_200_000)

it.each([
  ["restore"],
  ["restore", "missing.sql"],
  ["restore", "00000001-bookmark"],
  ["backup", "file.txt"],
])("%s %s is refused with its usage", (command, ...args) => {
  const { status, stdout } = run(old, command, ...args)
  expect(status).toBe(1)
  expect(stdout).toContain(`npm run ${command} --`)
})
