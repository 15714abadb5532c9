import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { mapLimit } from "../../src/lib/chunk.ts"
import { buildPages } from "../../src/operations/build-pages.ts"
import { readResult, today, writeResult } from "../proof/result.ts"
import { MUTANTS } from "./list.ts"
import type { Mutant } from "./mutate.ts"

const AT_ONCE = Number(process.env.MUTANTS_AT_ONCE ?? 2)
const PATIENCE_MS = 600_000
const NOTHING = "nothing"
const NOT_RUN = "not run"

interface Report {
  testResults: { assertionResults: { status: string; fullName: string }[] }[]
}

const folder = mkdtempSync(join(tmpdir(), "mutants-"))
const { positionals: asked, values: options } = parseArgs({
  options: { open: { type: "boolean", default: false } },
  allowPositionals: true,
})
const settled = new Set(
  readResult("mutants")
    ?.table?.rows.filter(([, caughtBy]) => caughtBy !== NOT_RUN)
    .map(([name]) => name),
)
const isNamed = (name: string, part: string) =>
  MUTANTS.some((one) => one.name === part) ? name === part : name.includes(part)
/** `--open` leaves out those that an earlier run has settled. */
const chosen = MUTANTS.filter(
  ({ name }) =>
    (asked.length === 0 || asked.some((part) => isNamed(name, part))) &&
    !(options.open && settled.has(name)),
)
// Two processes must not build them at once.
await buildPages()
console.log(`${chosen.length} defects\n\n| defect | file | caught by |\n|---|---|---|`)
const results = await mapLimit(chosen, AT_ONCE, async (mutant) => {
  const caughtBy = await run(mutant)
  const file = mutant.file.replace("src/worker/", "")
  console.log(`| ${mutant.name} | \`${file}\` | ${caughtBy ?? "**nothing**"} |`)
  if (caughtBy !== NOT_RUN) keep(mutant, caughtBy)
  return caughtBy
})
rmSync(folder, { recursive: true })
const missed = results.filter((caughtBy) => caughtBy === null || caughtBy === NOT_RUN)
console.log(`\n${chosen.length - missed.length} of ${chosen.length} caught`)
process.exitCode = missed.length > 0 ? 1 : 0

/** The name of the first test that fails. No test has run where the time was not enough. */
async function run({ name, project, tests }: Mutant): Promise<string | null> {
  const file = join(folder, `${MUTANTS.findIndex((one) => one.name === name)}.json`)
  const child = spawn(
    "npx",
    ["vitest", "run", "--project", project, "--bail", "1", "--reporter", "json"].concat(
      `--outputFile=${file}`,
      tests,
    ),
    {
      // The seeds that the gate runs after a change of the file.
      env: { ...process.env, MUTANT: name, FAULT_SEED: "1,2,3,4,5" },
      stdio: "ignore",
      timeout: PATIENCE_MS,
    },
  )
  await new Promise((resolve) => child.once("close", resolve))
  const report = readReport(file)
  if (report.length === 0) return NOT_RUN
  const failed = report.find(({ status }) => status === "failed")
  return failed?.fullName.replaceAll("|", "\\|") ?? null
}

function readReport(file: string): Report["testResults"][number]["assertionResults"] {
  try {
    const { testResults } = JSON.parse(readFileSync(file, "utf8")) as Report
    return testResults.flatMap(({ assertionResults }) => assertionResults)
  } catch {
    return []
  }
}

/** A run of some defects keeps what earlier runs said of the others. */
function keep({ name }: Mutant, caughtBy: string | null): void {
  const known = new Map(readResult("mutants")?.table?.rows.map((row) => [row[0], row]))
  known.set(name, [name, caughtBy ?? NOTHING, today()])
  const rows = MUTANTS.map((one) => known.get(one.name) ?? [one.name, NOT_RUN, ""])
  const count = (text: string) => rows.filter(([, by]) => by === text).length
  const [survived, open] = [count(NOTHING), count(NOT_RUN)]
  writeResult("mutants", {
    name: "Defects that the tests catch",
    command: "npm run mutants",
    figures: {
      defects: rows.length,
      run: rows.length - open,
      caught: rows.length - open - survived,
      survived,
    },
    table: { columns: ["defect", "caught by", "run on"], rows },
    shows: "Each defect is one small edit of the source. The tests named for it fail over it.",
    doesNotShow:
      "Defects that nobody thought of. One test that fails is enough to count as caught.",
  })
}
