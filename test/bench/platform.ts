import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { transformSync } from "esbuild"
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare"
import { unstable_getMiniflareWorkerOptions } from "wrangler"
import { databaseBinding } from "../../src/operations/installation.ts"
import {
  type Credentials,
  newCredentials,
  seedStatements,
  withBaseUrl,
} from "../../src/operations/local/demo.ts"
import { migrations } from "../../src/operations/migrations.ts"
import { bind } from "../../src/worker/platform/db/statement.ts"
import { migrate } from "../../src/worker/platform/installation/migrate.ts"
import { createOwnTeam } from "./own-team.ts"
import { findWorkerd } from "./process.ts"

const NO_LIMIT = 1_000_000_000

export interface Platform {
  miniflare: Miniflare
  db: D1Database
  bareDb: D1Database
  bucket: R2Bucket
  ports: Ports
  credentials: Credentials
  workerd: number
  /** The minute's work. With `teamIn`, that of the team's database only. */
  tick(): Promise<void>
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

interface Options {
  /** Of `buildWorker`. */
  directory: string
  limits: string
  /** How many the installation has. Then the demo team is in database `teamIn`. */
  databases?: number
  teamIn?: number
}

/** The built Worker with its bindings on a socket of its own, beside bare handlers. */
export async function startPlatform(
  ports: Ports,
  { directory, limits, databases = 1, teamIn }: Options,
): Promise<Platform> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions("wrangler.toml")
  // Miniflare puts two Workers of its own before a Worker with assets. Cloudflare's routing costs
  // a Worker nothing.
  const { modulesRules, queueConsumers, cronTriggers, assets, ...rest } = workerOptions
  const bound = rest as typeof rest & Bound
  const edgepost = {
    ...bound,
    d1Databases: { ...bound.d1Databases, ...furtherDatabases(databases) },
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
    .filter((name) => /\.(js|txt|sql)$/.test(name) && name !== "index.js")
    .map((name) => ({
      type: name.endsWith(".js") ? ("ESModule" as const) : ("Text" as const),
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
          d1Databases: { DB: "bare", EDGEPOST: edgepost.d1Databases.DB },
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
  const database = async (name: string, worker = "edgepost") =>
    (await miniflare.getD1Database(name, worker)) as unknown as D1Database
  const all = new Map<number, D1Database>()
  for (let number = 1; number <= databases; number++) {
    all.set(number, await database(databaseBinding(number)))
  }
  const bareDb = await database("DB", "bare")
  return {
    miniflare,
    db: all.get(teamIn ?? 1) as D1Database,
    bareDb,
    bucket: (await miniflare.getR2Bucket("CONTENT", "edgepost")) as unknown as R2Bucket,
    ports,
    credentials: await seed(all, bareDb, teamIn),
    workerd: findWorkerd(),
    async tick() {
      if (!teamIn) await (await miniflare.getWorker("edgepost")).scheduled({ cron: "* * * * *" })
      else {
        const minutes = await miniflare.getQueueProducer("MINUTES", "edgepost")
        await minutes.send({ kind: "minutes", database: teamIn })
      }
    },
    dispose: () => miniflare.dispose(),
  }
}

const furtherDatabases = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count - 1 }, (_, index) => [
      databaseBinding(index + 2),
      `db-${index + 2}`,
    ]),
  )

/** Answers with a directory that `removeWorker` removes. */
export function buildWorker({ minify }: { minify: boolean }): string {
  const directory = mkdtempSync(join(tmpdir(), "edgepost-bench-"))
  const { status, stderr } = spawnSync(
    "wrangler",
    ["deploy", "--dry-run", "--outdir", directory, minify ? "--minify" : "--no-minify"],
    { encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
  )
  if (status !== 0) throw new Error(stderr)
  return directory
}

export const removeWorker = (directory: string) =>
  rmSync(directory, { recursive: true, force: true })

const withoutLimit = (limits: Bound["ratelimits"]) =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [
      name,
      { ...limit, simple: { ...limit.simple, limit: NO_LIMIT } },
    ]),
  )

async function seed(
  databases: ReadonlyMap<number, D1Database>,
  bareDb: D1Database,
  teamIn?: number,
) {
  for (const db of databases.values()) await migrate(db, migrations())
  await bareDb.prepare("create table notes (id text primary key, body text) without rowid").run()
  await bareDb.prepare("create table sent (id text primary key, status text) without rowid").run()
  await bareDb.prepare("insert into notes values ('one', 'A note')").run()
  const credentials = withBaseUrl(await newCredentials(databases), "http://127.0.0.1")
  if (teamIn) return { ...credentials, ...(await createOwnTeam(databases, teamIn)) }
  for (const [db, statements] of await seedStatements(databases, credentials)) {
    await db.batch(statements.map((one) => bind(db, one)))
  }
  return credentials
}
