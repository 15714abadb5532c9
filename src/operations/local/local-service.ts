import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { resolve } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { MINUTE_MS } from "../../lib/time.ts"
import { bind } from "../../worker/platform/db/statement.ts"
import type { Env } from "../../worker/platform/env.ts"
import { readKeys } from "../../worker/platform/installation/keys.ts"
import { migrate } from "../../worker/platform/installation/migrate.ts"
import { PICKED_UP_WITHIN_MS } from "../../worker/platform/queues/due-work.ts"
import { buildPages } from "../build-pages.ts"
import { readNumber } from "../database-location.ts"
import { endWith } from "../install/end.ts"
import { databaseBinding } from "../installation.ts"
import { migrations } from "../migrations.ts"
import { readSettingsFile } from "../settings.ts"
import { environment } from "../wrangler.ts"
import { type Credentials, newCredentials, seedStatements, withBaseUrl } from "./demo.ts"
import { options, port, USAGE } from "./dev-options.ts"
import { keepLocalDatabases, localConfigArgs } from "./local-databases.ts"
import { openLocalDatabases } from "./local-platform.ts"
import { withoutFailedLookups } from "./without-lookups.ts"

const STATE = options.state
const CREDENTIALS_DIR = options.credentials
const CREDENTIALS = `${CREDENTIALS_DIR}/credentials.json`
const SEED_CONFIG = `${CREDENTIALS_DIR}/seed.json`
const SECRETS = `${CREDENTIALS_DIR}/secrets.env`
const SETTINGS = `${CREDENTIALS_DIR}/settings.toml`

/** A stopped server may keep its port for a moment. */
const PORT_TRIES = 10
const DATABASE_TRIES = 3
/** `/health` looks again after this time. */
const HEALTH_KEPT_MS = 5_000

/**
 * Queues live in memory, so no message leads to the deliveries of an earlier start, and the holders of
 * leases are gone. The first sweep takes what is due by then. A second start changes nothing more.
 */
const MAKE_DELIVERIES_DUE = [
  `update deliveries set (not_before, due_at) = (select due_at - ${PICKED_UP_WITHIN_MS}, due_at - ${PICKED_UP_WITHIN_MS})
   where due_at <> not_before`,
  "update webhooks set probe_at = 0 where probe_at > 0",
]

const baseUrl = `http://localhost:${port}`

const count = readNumber(USAGE, "--databases", options.databases)
const vars = await readVars()
await refuseTakenPort()
if (options.fresh) {
  rmSync(STATE, { recursive: true, force: true })
  rmSync(CREDENTIALS, { force: true })
}
const databases = await keepLocalDatabases(STATE, count)
mkdirSync(CREDENTIALS_DIR, { recursive: true })
const [credentials] = await Promise.all([
  shown("Preparing the database", prepareDatabaseAgain()),
  shown("Building the pages that changed", buildPages()),
])
const worker = startWorker()
await shown("Starting the Worker", untilAnswering(worker).then(tick))
setInterval(tick, MINUTE_MS)
announce(credentials)

/** Prints the step, and every ten seconds how long it has taken so far. */
async function shown<T>(step: string, work: Promise<T>): Promise<T> {
  console.log(`${step} ...`)
  const startedAt = Date.now()
  const timer = setInterval(() => {
    console.log(`${step} ... ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  }, 10_000)
  return work.finally(() => clearInterval(timer))
}

async function readVars() {
  const found = { vars: {} }
  await endWith(async () => {
    if (existsSync(SETTINGS)) Object.assign(found, await readSettingsFile(SETTINGS))
  })
  if (process.exitCode) process.exit()
  const { WEBHOOK_ALLOW_PRIVATE = "true" } = process.env
  return { WEBHOOK_ALLOW_PRIVATE, ...found.vars, BASE_URL: baseUrl }
}

/** Runs before anything is deleted, since another server may use the same state. */
async function refuseTakenPort() {
  for (let tries = 0; await isTaken(); tries++) {
    if (tries === PORT_TRIES) {
      console.error(`Port ${port} is taken: is Edgepost running already? PORT names another.`)
      process.exit(1)
    }
    await sleep(200)
  }
}

async function isTaken(): Promise<boolean> {
  const socket = connect(Number(port), "localhost")
  const taken = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "close").then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return taken
}

/** After a crash, the old process may still lock the database for a moment. */
async function prepareDatabaseAgain(): Promise<Credentials> {
  for (let tries = 1; ; tries++) {
    try {
      return await prepareDatabase()
    } catch (error) {
      if (tries === DATABASE_TRIES) throw error
      await sleep(1_000)
    }
  }
}

/** Migrates the databases and creates the demo teams. */
async function prepareDatabase(): Promise<Credentials> {
  const platform = await openLocalDatabases(STATE, SEED_CONFIG)
  const all = new Map(
    databases.map((number) => [number, platform.env[databaseBinding(number)] as D1Database]),
  )
  try {
    // Before the teams, as the Worker makes no keys for an installation that has some.
    for (const db of all.values()) await migrate(db, migrations())
    await readKeys(platform.env as unknown as Env, all.get(1) as D1Database)
    // Keeps the keys and the password of an earlier start.
    const known = existsSync(CREDENTIALS)
      ? (JSON.parse(readFileSync(CREDENTIALS, "utf8")) as Credentials)
      : await newCredentials(all)
    const credentials = withBaseUrl(known, baseUrl)
    for (const [db, statements] of await seedStatements(all, credentials)) {
      await db.batch([
        ...statements.map((statement) => bind(db, statement)),
        ...MAKE_DELIVERIES_DUE.map((statement) => db.prepare(statement)),
      ])
    }
    writeFileSync(CREDENTIALS, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
    return credentials
  } finally {
    await platform.dispose()
  }
}

function startWorker(): ChildProcess {
  const child = spawn(
    "wrangler",
    [
      "dev",
      ...localConfigArgs(STATE),
      "--port",
      port,
      "--inspector-port",
      "0",
      "--persist-to",
      STATE,
      // wrangler looks for a relative path beside its configuration.
      ...(existsSync(SECRETS) ? ["--env-file", resolve(SECRETS)] : []),
      ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
      "--log-level",
      process.env.WRANGLER_LOG || "error",
      "--show-interactive-dev-session=false",
    ],
    {
      stdio: ["inherit", "inherit", "pipe"],
      shell: process.platform === "win32",
      env: {
        FORCE_COLOR: process.stderr.isTTY ? "1" : "0",
        ...environment,
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    },
  )
  const isShown = withoutFailedLookups()
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (isShown(line)) console.error(line)
  })
  child.on("exit", async (code) => {
    // Its last lines say why it ended.
    await Promise.race([once(child, "close"), sleep(1_000)])
    process.exit(code ?? 0)
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
  return child
}

async function untilAnswering(child: ChildProcess) {
  while (child.exitCode === null) {
    const answer = await fetch(`${baseUrl}/health`).catch(() => null)
    if (answer?.ok) return
    // What is wrong is in the log then, at each look.
    await sleep(answer ? HEALTH_KEPT_MS : 100)
  }
}

/** Locally, the cron trigger never fires by itself. */
async function tick() {
  await fetch(`${baseUrl}/cdn-cgi/handler/scheduled`).catch((error: unknown) =>
    console.error("The minute's work could not be started:", error),
  )
}

function announce({ apiKey, dashboard }: Credentials) {
  console.log(`
Edgepost is running.

  API        ${baseUrl}/api/v1
  Reference  ${baseUrl}/docs
  Dashboard  ${dashboard.url}   ${dashboard.email} / ${dashboard.password}
  API key    ${apiKey}

For the examples, the client and the command line:

  export SVC_BASE_URL=${baseUrl} SVC_API_KEY=${apiKey} MAIL_FROM=hello@demo.test

Sends from any address @demo.test, to the sandbox unless PROVIDER says otherwise. More keys: ${CREDENTIALS}
`)
}
