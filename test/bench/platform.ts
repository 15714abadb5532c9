import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { transformSync } from "esbuild"
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare"
import { unstable_getMiniflareWorkerOptions } from "wrangler"
import {
  type Credentials,
  newCredentials,
  seedStatements,
  withBaseUrl,
} from "../../src/operations/demo.ts"
import { bind } from "../../src/worker/platform/db/statement.ts"

const NO_LIMIT = 1_000_000_000

export interface Platform {
  miniflare: Miniflare
  db: D1Database
  bareDb: D1Database
  bucket: R2Bucket
  ports: Ports
  credentials: Credentials
  workerd: number
  dispose(): Promise<void>
}

/** Where each Worker listens: the service, bare handlers, and one that tells its statements. */
export interface Ports {
  edgepost: number
  bare: number
  recorder: number
  /** 0 without one: it costs time. */
  inspector: number
}

interface Bound {
  bindings: Record<string, string>
  ratelimits: Record<string, { simple: { limit: number; period: number } }>
  d1Databases: { DB: unknown }
}

/** The built Worker with its bindings on a socket of its own, beside bare handlers. */
export async function startPlatform(
  ports: Ports,
  { minify, limits }: { minify: boolean; limits: string },
): Promise<Platform> {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-bench-"))
  build(directory, minify)
  const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml")
  // Miniflare puts two Workers of its own before a Worker with assets. Cloudflare's routing costs
  // a Worker nothing.
  const { modulesRules, queueConsumers, cronTriggers, assets, ...rest } = workerOptions
  const bound = rest as typeof rest & Bound
  const edgepost = {
    ...bound,
    bindings: {
      ...bound.bindings,
      BASE_URL: `http://127.0.0.1:${ports.edgepost}`,
      SIGNING_KEY: "a key that only the bench signs with",
      ERASURE_KEY: "a key that only the bench erases with",
      ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
      WEBHOOK_ALLOW_PRIVATE: "true",
    },
    ratelimits: withoutLimit(bound.ratelimits),
    rootPath: directory,
    modulesRoot: directory,
  }
  const moduleOf = (file: string) => ({
    type: "ESModule" as const,
    path: join(directory, file),
    contents: transformSync(readFileSync(new URL(file, import.meta.url), "utf8"), { loader: "ts" })
      .code,
  })
  const service = { type: "ESModule" as const, path: join(directory, "index.js") }
  const chunks = readdirSync(directory)
    .filter((name) => /\.(js|txt)$/.test(name) && name !== "index.js")
    .map((name) => ({
      type: name.endsWith(".txt") ? ("Text" as const) : ("ESModule" as const),
      path: join(directory, name),
    }))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      logRequests: false,
      log: new Log(LogLevel.ERROR),
      ...(ports.inspector && { inspectorPort: ports.inspector, inspectorHost: "127.0.0.1" }),
      workers: [
        {
          ...edgepost,
          queueConsumers,
          name: "edgepost",
          modules:
            limits === "simulated"
              ? [service, ...chunks]
              : [moduleOf("front-worker.ts"), service, ...chunks],
          unsafeDirectSockets: [{ host: "127.0.0.1", port: ports.edgepost }],
        },
        {
          name: "bare",
          compatibilityDate: bound.compatibilityDate,
          modules: [moduleOf("bare-worker.ts")],
          modulesRoot: directory,
          ratelimits: withoutLimit(bound.ratelimits),
          d1Databases: { DB: "bare", EDGEPOST: bound.d1Databases.DB },
          queueProducers: { STEPS: "bare-steps" },
          queueConsumers: { "bare-steps": { maxBatchSize: 100, maxBatchTimeout: 0 } },
          unsafeDirectSockets: [{ host: "127.0.0.1", port: ports.bare }],
        },
        {
          ...edgepost,
          name: "recorder",
          modules: [moduleOf("recorder-worker.ts"), service, ...chunks],
          unsafeDirectSockets: [{ host: "127.0.0.1", port: ports.recorder }],
        },
      ],
    } as unknown as Parameters<typeof convertV4MiniflareOptions>[0]),
  )
  await miniflare.ready
  const db = (await miniflare.getD1Database("DB", "edgepost")) as unknown as D1Database
  const bareDb = (await miniflare.getD1Database("DB", "bare")) as unknown as D1Database
  return {
    miniflare,
    db,
    bareDb,
    bucket: (await miniflare.getR2Bucket("CONTENT", "edgepost")) as unknown as R2Bucket,
    ports,
    credentials: await seed(db, bareDb),
    workerd: findWorkerd(),
    async dispose() {
      await miniflare.dispose()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function build(directory: string, minify: boolean): void {
  const { status, stderr } = spawnSync(
    "wrangler",
    ["deploy", "--dry-run", "--outdir", directory, minify ? "--minify" : "--no-minify"],
    { encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
  )
  if (status !== 0) throw new Error(stderr)
}

const withoutLimit = (limits: Bound["ratelimits"]) =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      { ...limit, simple: { ...limit.simple, limit: NO_LIMIT } },
    ]),
  )

async function seed(db: D1Database, bareDb: D1Database) {
  for (const file of readdirSync("migrations").sort()) {
    for (const statement of statementsOf(readFileSync(join("migrations", file), "utf8"))) {
      await db.prepare(statement).run()
    }
  }
  await bareDb.prepare("create table notes (id text primary key, body text) without rowid").run()
  await bareDb.prepare("create table sent (id text primary key, status text) without rowid").run()
  await bareDb.prepare("insert into notes values ('one', 'A note')").run()
  const databases = new Map([[1, db]])
  const credentials = withBaseUrl(await newCredentials(databases), "http://127.0.0.1")
  const statements = (await seedStatements(databases, credentials)).get(db) ?? []
  await db.batch(statements.map((one) => bind(db, one)))
  return credentials
}

const statementsOf = (migration: string) =>
  migration
    .replace(/^\s*--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

/** Miniflare starts one workerd, a child of this process. */
function findWorkerd(): number {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const [, command, rest] = /\((.*)\) (.*)/s.exec(readStat(name)) ?? []
    if (command === "workerd" && Number(rest?.split(" ")[1]) === process.pid) return Number(name)
  }
  throw new Error("No workerd runs below this process")
}

function readStat(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch {
    return ""
  }
}

/** The CPU time of all threads of a process so far. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) => runNanoseconds(`/proc/${pid}/task/${thread}/schedstat`))
  return times.reduce((sum, time) => sum + time, 0) / 1_000_000
}

/** 0 for a thread that has just ended. */
function runNanoseconds(file: string): number {
  try {
    return Number(readFileSync(file, "latin1").split(" ")[0])
  } catch {
    return 0
  }
}

export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
