import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { chunk, mapLimit } from "../../../src/lib/chunk.ts"
import { buildPages } from "../../../src/operations/build-pages.ts"
import { writeResult } from "../result.ts"
import type { Outcome } from "./faults.proof.ts"
import { resultOf } from "./figures.ts"

/** A process runs so many seeds at most, and their figures are published. */
const SEEDS_A_PROCESS = 25

interface Seed {
  title: string
  meta: { outcome?: Outcome }
  failureMessages: string[]
}

interface Report {
  testResults: { assertionResults: Seed[] }[]
}

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "40" },
    /** The first seed. A seed decides the world and how often what fails. */
    from: { type: "string", default: "1" },
    /** With 3, all seeds are of an installation with three databases. */
    databases: { type: "string", default: "1" },
    /** Processes at a time. */
    processes: { type: "string", default: "2" },
    /** A folder that keeps what became of each seed. Seeds with nothing wrong there are not run again. */
    reports: { type: "string" },
  },
})
const [seeds, from, databases, processes] = [
  Number(flags.seeds),
  Number(flags.from),
  Number(flags.databases),
  Number(flags.processes),
]
const folder = flags.reports ?? mkdtempSync(join(tmpdir(), "faults-"))
const outcomes = new Map<number, Outcome>()
/** Seeds that were wrong, or did not end, at an earlier run. */
const wrongOnce = new Set<number>()

// Two processes must not build them at once.
await buildPages()
mkdirSync(folder, { recursive: true })
for (const file of readdirSync(folder)) readSeeds(join(folder, file))
const left = Array.from({ length: seeds }, (_, index) => from + index).filter(
  (seed) => !isRight(seed),
)
const size = Math.min(SEEDS_A_PROCESS, Math.ceil(left.length / processes))
await mapLimit(chunk(left, size), processes, async (ofProcess) => {
  await run(ofProcess)
  publish()
  const wrong = ofProcess.filter((seed) => !isRight(seed))
  const said = wrong.length === 0 ? "nothing wrong" : `WRONG or not run: ${wrong.join(", ")}`
  console.log(`seeds ${ofProcess[0]} to ${ofProcess.at(-1)}: ${said}`)
})
publish()
if (!flags.reports) rmSync(folder, { recursive: true })
const right = left.length - left.filter((seed) => !isRight(seed)).length
console.log(`${right} of ${left.length} seeds run with nothing wrong`)
process.exitCode = right < left.length ? 1 : 0

async function run(ofProcess: readonly number[]): Promise<void> {
  const file = join(folder, `${ofProcess[0]}-${Date.now()}.json`)
  const args = ["run", "test/proof/faults", "--project", "proof", "--reporter", "json"]
  if (databases > 1) args.push("--mode", "three")
  const child = spawn("vitest", [...args, `--outputFile=${file}`], {
    stdio: "ignore",
    env: { ...process.env, FAULT_SEED: ofProcess.join() },
  })
  await new Promise((resolve) => child.on("close", resolve))
  for (const { title, failureMessages } of existsSync(file) ? readSeeds(file) : [])
    for (const message of failureMessages) console.log(`${title}: ${message}`)
}

function readSeeds(file: string): Seed[] {
  const { testResults }: Report = JSON.parse(readFileSync(file, "utf8"))
  const all = testResults.flatMap((one) => one.assertionResults)
  for (const { title, meta, failureMessages } of all) {
    if (meta.outcome && !isRight(meta.outcome.seed)) outcomes.set(meta.outcome.seed, meta.outcome)
    if (failureMessages.length > 0) wrongOnce.add(Number(title.split(" ").at(-1)))
  }
  return all
}

function isRight(seed: number): boolean {
  return outcomes.get(seed)?.wrongs.length === 0
}

/** After each process, so that a run that is broken off says how far it came without a gap. */
function publish(): void {
  const done = []
  for (let seed = from; outcomes.has(seed); seed++) done.push(outcomes.get(seed) as Outcome)
  if (done.length === 0) return
  const runAgain = done.filter(({ seed }) => wrongOnce.has(seed) && isRight(seed)).length
  const file = databases === 1 ? "faults" : "faults-databases"
  writeResult(file, resultOf(done, { from, databases, runAgain }))
}
