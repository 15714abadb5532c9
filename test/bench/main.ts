import { parseArgs } from "node:util"
import { buildPages } from "../../src/operations/build-pages.ts"
import { measureAudience } from "./audience.ts"
import { measureBeside } from "./beside.ts"
import { measureCalls } from "./calls.ts"
import { printCounted } from "./counted.ts"
import { measureDatabases } from "./databases.ts"
import { measureEntering } from "./entering.ts"
import { createJob, measureJobs } from "./jobs.ts"
import { createLoader } from "./loader.ts"
import { measureMemory } from "./memory.ts"
import { operations } from "./operations.ts"
import { buildWorker, removeWorker, startPlatform } from "./platform.ts"
import { startProfile } from "./profile.ts"
import { measureReaders } from "./readers.ts"
import { measureScale } from "./scale.ts"
import { printSizes } from "./size.ts"
import { measureTriggers } from "./triggers.ts"

const { values: flags } = parseArgs({
  options: {
    /**
     * Of `calls`, `jobs`, `beside`, `size`, `scale`, `readers`, `databases`, `memory`, `audience`, `entering`,
     * `triggers` and `counted`.
     */
    parts: { type: "string", default: "calls,jobs,size" },
    /** Parts of the names of operations and jobs; all by default. */
    only: { type: "string", default: "" },
    connections: { type: "string", default: "8,1,64" },
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "3" },
    /** How many emails a job sends. */
    queued: { type: "string", default: "1000" },
    /** How many emails the part `scale` stores. */
    stored: { type: "string", default: "1000000" },
    /** How many changes the part `readers` tells. */
    changes: { type: "string", default: "10000" },
    /** How many emails the part `memory` accepts and sends. */
    accepted: { type: "string", default: "20000" },
    /** How many contacts the parts `audience` and `entering` store. */
    contacts: { type: "string", default: "1000000" },
    /** `memory` or `simulated`: who counts the calls for the rate limits. */
    limits: { type: "string", default: "memory" },
    /** Writes a CPU profile of the operation or job with this name instead. */
    profile: { type: "string" },
    port: { type: "string", default: "9150" },
  },
})

const parts = flags.parts.split(",")
const only = flags.only.split(",").filter(Boolean)
const [edgepost, bare, recorder, inspector] = [0, 1, 2, 3].map(
  (offset) => Number(flags.port) + offset,
) as [number, number, number, number]
const isInspected = flags.profile !== undefined || parts.includes("memory")

// wrangler bundles no Worker whose directory of assets is missing.
await buildPages()
const directory = buildWorker({ minify: flags.profile === undefined })
const platform = await startPlatform(
  { edgepost, bare, recorder, inspector: isInspected ? inspector : 0 },
  { directory, limits: flags.limits },
)
const loader = createLoader(platform.workerd)
const pace = { seconds: Number(flags.seconds), rounds: Number(flags.rounds) }
try {
  if (flags.profile) await profile(flags.profile)
  else await measure()
} finally {
  loader.close()
  await platform.dispose()
  removeWorker(directory)
}

async function measure() {
  if (parts.includes("calls")) {
    const chosen = { only, connections: flags.connections.split(",").map(Number) }
    await measureCalls(await operations(platform), loader, { ...chosen, ...pace })
  }
  if (parts.includes("jobs")) await measureJobs(platform, { queued: Number(flags.queued), only })
  if (parts.includes("beside")) await measureBeside(platform, Number(flags.queued))
  if (parts.includes("scale")) await measureScale(platform, loader, Number(flags.stored))
  if (parts.includes("readers")) await measureReaders(platform, Number(flags.changes))
  if (parts.includes("databases")) {
    const port = Number(flags.port) + 10
    const queued = Number(flags.queued)
    await measureDatabases({ ...pace, directory, limits: flags.limits, port, queued })
  }
  if (parts.includes("memory")) await measureMemory(platform, loader, Number(flags.accepted))
  if (parts.includes("audience")) await measureAudience(platform, Number(flags.contacts))
  if (parts.includes("entering")) {
    await measureEntering(platform, { contacts: Number(flags.contacts), only })
  }
  if (parts.includes("triggers")) await measureTriggers(platform)
  if (parts.includes("size")) printSizes()
  if (parts.includes("counted")) printCounted()
}

/** Of an operation, or else of a job. */
async function profile(name: string) {
  const operation = (await operations(platform)).find((one) => one.name.includes(name))
  const call = (seconds: number) =>
    operation && loader.run({ ...operation, connections: 8, seconds })
  await call(1)
  const job = operation ? undefined : await createJob(platform, Number(flags.queued), name)
  if (!operation && !job) throw new Error(`No operation and no job is called ${name}`)
  const stop = await startProfile(inspector)
  await (job ? job() : call(8))
  console.log(`Wrote ${await stop(name)}`)
}
