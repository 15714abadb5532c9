import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { mapLimit } from "../../../src/lib/chunk.ts"
import { buildPages } from "../../../src/operations/build-pages.ts"
import { writeResult } from "../result.ts"
import type { Outcome } from "./faults.proof.ts"
import { resultOf } from "./figures.ts"

/** A process runs so many seeds, and its figures are published. */
const SEEDS_A_PROCESS = 20

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
    /** With 3, all seeds are of the world with three databases. */
    databases: { type: "string", default: "1" },
    /** Processes at a time. */
    processes: { type: "string", default: "2" },
  },
})
const [seeds, from, databases, processes] = [
  Number(flags.seeds),
  Number(flags.from),
  Number(flags.databases),
  Number(flags.processes),
]

// Two processes must not build them at once.
await buildPages()
const folder = mkdtempSync(join(tmpdir(), "faults-"))
const outcomes = new Map<number, Outcome>()
const firsts = Array.from(
  { length: Math.ceil(seeds / SEEDS_A_PROCESS) },
  (_, index) => from + index * SEEDS_A_PROCESS,
)
await mapLimit(firsts, processes, async (first) => {
  const count = Math.min(SEEDS_A_PROCESS, from + seeds - first)
  const isWhole = await run(first, count)
  publish()
  console.log(`seeds ${first} to ${first + count - 1}: ${isWhole ? "nothing wrong" : "WRONG"}`)
})
rmSync(folder, { recursive: true })
const wrong = [...outcomes.values()].filter(({ wrongs }) => wrongs.length > 0).length
console.log(`${outcomes.size} of ${seeds} seeds run, ${wrong} wrong`)
process.exitCode = wrong > 0 || outcomes.size < seeds ? 1 : 0

/** Whether all of them ran, and nothing was wrong. */
async function run(first: number, count: number): Promise<boolean> {
  const file = join(folder, `${first}.json`)
  const args = ["run", "test/proof/faults", "--project", "proof", "--reporter", "json"]
  const child = spawn("vitest", [...args, `--outputFile=${file}`], {
    stdio: "ignore",
    env: {
      ...process.env,
      FAULT_SEEDS: String(count),
      FAULT_FROM: String(first),
      DATABASES: String(databases),
    },
  })
  const status = await new Promise((resolve) => child.on("close", resolve))
  if (!existsSync(file)) return false
  const { testResults }: Report = JSON.parse(readFileSync(file, "utf8"))
  for (const { title, meta, failureMessages } of testResults.flatMap(
    (one) => one.assertionResults,
  )) {
    if (meta.outcome) outcomes.set(meta.outcome.seed, meta.outcome)
    for (const message of failureMessages) console.log(`${title}: ${message}`)
  }
  return status === 0
}

/** After each process, so that a run that is broken off says how far it came without a gap. */
function publish(): void {
  const done = []
  for (let seed = from; outcomes.has(seed); seed++) done.push(outcomes.get(seed) as Outcome)
  if (done.length === 0) return
  writeResult(databases === 1 ? "faults" : "faults-databases", resultOf(done, { from, databases }))
}
