import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { buildPages } from "./src/operations/build-pages.ts"
import { ONLY_NIGHTLY } from "./test/gate/parts.ts"
import { mutant } from "./test/mutants/plugin.ts"
import { type Result, writeResult } from "./test/proof/result.ts"
import { cpuTimes } from "./test/support/cpu-times.ts"
import { drawSecrets } from "./test/support/drawn-secrets.ts"
import { earlyImports } from "./test/support/early-imports.ts"
import { fastPasswords } from "./test/support/fast-passwords.ts"
import { Shuffled } from "./test/support/shuffled.ts"
import { chooseDatabases } from "./test/support/spread/choose.ts"
import { furtherDatabases, spread } from "./test/support/spread/plugin.ts"

// The tests' runtime trusts the certificate of their SMTP server. miniflare, which the two imports
// below load, reads this variable only then.
process.env.NODE_EXTRA_CA_CERTS = fileURLToPath(
  new URL("test/support/smtp/localhost.crt", import.meta.url),
)
const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-pool-workers")
const { unstable_readConfig } = await import("wrangler")

/** What the Worker's bundle replaces of its libraries, the tests replace too. */
const { alias = {}, define } = unstable_readConfig({ config: "./wrangler.toml" })
const replaced = Object.entries(alias).map(([name, file]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(String(file), import.meta.url)),
}))

// wrangler.toml names the dashboard's files.
await buildPages()

/** Inside workerd, with the bindings and the replaced libraries of wrangler.toml. */
const inWorker = (count = 1) => ({
  define,
  resolve: { alias: replaced },
  plugins: [
    ...mutant(),
    spread(),
    earlyImports(),
    fastPasswords(),
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: {
        d1Databases: { SECOND: "second", ...furtherDatabases(count) },
        r2Buckets: { SECOND_BUCKET: "second" },
        serviceBindings: {
          CPU_TIMES: () => Response.json(cpuTimes()),
          SECRETS: ({ url }: Request) =>
            Response.json(drawSecrets(Number(new URL(url).pathname.slice(1)))),
          RESULTS: async (request: Request) => {
            writeResult(new URL(request.url).pathname.slice(1), (await request.json()) as Result)
            return new Response()
          },
        },
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations("./migrations"),
          BASE_URL: "http://localhost:8787",
          FAULT_SEED: process.env.FAULT_SEED ?? "",
          FAULT_CUTS: process.env.FAULT_CUTS ?? "",
          ABUSE_REQUESTS: process.env.ABUSE_REQUESTS ?? "",
          ABUSE_SEED: process.env.ABUSE_SEED ?? "",
          SEQUENCE_LIVES: process.env.SEQUENCE_LIVES ?? "",
          FORM_POSTS: process.env.FORM_POSTS ?? "",
          RECEIVED_MESSAGES: process.env.RECEIVED_MESSAGES ?? "",
          SEQUENCE_CROWD: process.env.SEQUENCE_CROWD ?? "",
          MALFORMED_MESSAGES: process.env.MALFORMED_MESSAGES ?? "",
          MOVED_EMAILS: process.env.MOVED_EMAILS ?? "",
          SIGNING_KEY: "a key that only these tests sign with",
          ERASURE_KEY: "a key that only these tests erase with",
          SES_TOPIC_ARNS: "arn:aws:sns:us-east-1:123456789012:edgepost-test",
          ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
        },
      },
    })),
  ],
})

const client = (file: string) => fileURLToPath(new URL(`src/client/${file}.ts`, import.meta.url))

/** The package's entries, for examples that import it. */
const packageEntries = [
  { find: "edgepost/webhooks", replacement: client("receiver") },
  { find: "edgepost/react", replacement: client("react") },
  { find: /^edgepost$/, replacement: client("index") },
]

/** They measure times: nothing else runs beside them. */
const MEASURED = {
  worker: [
    "test/worker/platform/http/cost.test.ts",
    "test/worker/platform/http/growth.test.ts",
    "test/worker/platform/http/own-cost.test.ts",
    "test/worker/platform/http/page-cost.test.ts",
    "test/worker/emails/tracking/cost.test.ts",
    "test/lib/html-text.test.ts",
    "test/worker/mcp/cost.test.ts",
    "test/worker/resend/cost.test.ts",
    "test/worker/emails/sending/cost.test.ts",
    "test/worker/received/cost.test.ts",
  ],
  system: ["test/system/noisy-neighbour.test.ts", "test/system/received-largest.test.ts"],
}

/** They share one `npm run dev`. */
const SHARED_SERVER = [
  "test/system/command.test.ts",
  "test/system/own-package.test.ts",
  "test/system/dashboard-snippets.test.ts",
  "test/system/examples.test.ts",
  "test/relay/clients.test.ts",
]

/** They count frames and calls, or look at every page: no other page runs beside them. */
const BROWSER_ALONE = ["speed", "live", "first-load", "every-page"].map(
  (name) => `test/browser/${name}.test.ts`,
)
const browserTests = {
  // All files share one server.
  fileParallelism: false,
  globalSetup: ["./test/system/shared-server.ts"],
  expect: { poll: { timeout: 15_000 } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

/** They have one database by nature. */
const ONE_DATABASE = [
  // They make installations of one database and of two.
  "test/worker/platform/db/buckets.test.ts",
  "test/worker/platform/db/databases.test.ts",
  "test/worker/platform/installation/prepare.test.ts",
  "test/worker/teams/moving/move.test.ts",
  "test/worker/teams/moving/moved-team.test.ts",
  "test/worker/teams/moving/while-moving.test.ts",
  // It has the data of the first version, which had one database.
  "test/worker/platform/db/baseline.test.ts",
  // With several databases, an object has what these find in the row of the one.
  "test/worker/emails/sending/rate-limit.test.ts",
  // With several databases, each value has a label, and each database is asked.
  "test/worker/health.test.ts",
  "test/worker/metrics.test.ts",
]

/** They are the same with any number of databases. */
const WITHOUT_DATABASE = ["test/{lib,dashboard,reference}/**/*.test.ts"]

const SETUP = "./test/support/setup.ts"
const SPREAD_SETUP = ["./test/support/spread/setup.ts", SETUP]

const workerTests = {
  setupFiles: [SETUP],
  // Longer than `eventually` waits.
  testTimeout: 120_000,
  hookTimeout: 120_000,
}
const workerProject = (name: string, databases: number, include: string[], exclude: string[]) => ({
  ...inWorker(databases),
  test: {
    ...workerTests,
    setupFiles: databases > 1 ? SPREAD_SETUP : [SETUP],
    name,
    // Starting a runtime for each file would take a third of the time.
    isolate: false,
    globalSetup: ["./test/support/smtp/server.ts"],
    include,
    exclude,
  },
})
const systemTests = { testTimeout: 180_000, hookTimeout: 180_000 }

/**
 * Without a mode, tests of the Worker run with one database. `--mode three` runs them with three. `--mode mixed`,
 * which is that of `npm test`, runs each file with one or three, and leaves some files to the nightly.
 */
export default defineConfig(({ mode }) => {
  const leftOut = mode === "mixed" ? ONLY_NIGHTLY : []
  const exclude = [...MEASURED.worker, ...leftOut]
  const chosen = chooseDatabases({
    files: "test/worker/**/*.test.ts",
    exclude,
    oneDatabase: ONE_DATABASE,
    mode,
  })
  const databases = mode === "three" ? 3 : 1
  return {
    test: {
      reporters: [
        "default",
        "./test/support/left-out.ts",
        "./test/support/stalled.ts",
        "./test/support/file-times.ts",
      ],
      // A module with a defect must not be kept for other runs.
      fsModuleCache: process.env.MUTANT === undefined,
      // What the Worker logs is shown where a test fails.
      silent: "passed-only",
      ...(process.env.SHUFFLED && { sequence: { sequencer: Shuffled } }),
      // Each worker starts a runtime and loads all modules, which takes more than a third one saves.
      maxWorkers: 2,
      projects: [
        workerProject("worker", 1, [...chosen.one, ...WITHOUT_DATABASE], exclude),
        workerProject("worker-3", 3, chosen.several, exclude),
        {
          resolve: { alias: packageEntries },
          test: {
            name: "client",
            isolate: false,
            globalSetup: ["./test/command-line/scratch.ts"],
            include: [
              "test/{client,command-line,mutants,gate}/**/*.test.ts",
              "test/proof/*.test.ts",
            ],
            exclude: [...leftOut],
            testTimeout: 60_000,
          },
        },
        {
          resolve: { alias: packageEntries },
          test: {
            name: "system",
            include: ["test/{system,relay,operations,chaos}/**/*.test.ts"],
            exclude: [...MEASURED.system, ...SHARED_SERVER],
            ...systemTests,
          },
        },
        {
          resolve: { alias: packageEntries },
          test: {
            name: "system-shared",
            include: SHARED_SERVER,
            globalSetup: ["./test/system/shared-server.ts"],
            ...systemTests,
          },
        },
        {
          ...inWorker(),
          test: {
            ...workerTests,
            name: "seeds",
            isolate: false,
            include: ["test/faults/**/*.test.ts", "test/proof/abuse/abuse.proof.ts"],
          },
        },
        {
          ...inWorker(3),
          test: {
            ...workerTests,
            setupFiles: SPREAD_SETUP,
            name: "seeds-databases",
            include: ["sandbox", "provider", "outages", "sequences", "receiving"].map(
              (world) => `test/faults/worlds/${world}.test.ts`,
            ),
          },
        },
        {
          ...inWorker(databases),
          test: { ...workerTests, name: "proof", include: ["test/proof/**/*.proof.ts"] },
        },
        {
          ...inWorker(),
          test: { ...workerTests, name: "measured-worker", include: MEASURED.worker },
        },
        { test: { name: "measured-system", include: MEASURED.system, ...systemTests } },
        {
          test: {
            ...browserTests,
            name: "browser",
            include: ["test/browser/**/*.test.ts"],
            exclude: BROWSER_ALONE,
          },
        },
        { test: { ...browserTests, name: "browser-alone", include: BROWSER_ALONE } },
        {
          test: {
            name: "generators",
            include: ["test/generators/*.test.ts"],
            testTimeout: 60_000,
          },
        },
        {
          ...inWorker(),
          test: { ...workerTests, name: "bench", include: ["test/bench/**/*.test.ts"] },
        },
      ],
    },
  }
})
