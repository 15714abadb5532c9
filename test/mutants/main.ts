import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mapLimit } from "../../src/lib/chunk.ts"
import { MUTANTS } from "./list.ts"
import type { Mutant } from "./mutate.ts"

const AT_ONCE = Number(process.env.MUTANTS_AT_ONCE ?? 2)
const PATIENCE_MS = 600_000

interface Report {
  testResults: { assertionResults: { status: string; fullName: string }[] }[]
}

const folder = mkdtempSync(join(tmpdir(), "mutants-"))
const asked = process.argv.slice(2)
const chosen = MUTANTS.filter(
  ({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)),
)
console.log(`${chosen.length} defects\n\n| defect | file | caught by |\n|---|---|---|`)
const results = await mapLimit(chosen, AT_ONCE, async (mutant) => {
  const caughtBy = await run(mutant)
  const file = mutant.file.replace("src/worker/", "")
  console.log(`| ${mutant.name} | \`${file}\` | ${caughtBy ?? "**nothing**"} |`)
  return caughtBy
})
rmSync(folder, { recursive: true })
const missed = results.filter((caughtBy) => caughtBy === null)
console.log(`\n${chosen.length - missed.length} of ${chosen.length} caught`)
process.exitCode = missed.length > 0 ? 1 : 0

/** The name of the first test that fails. A run without any test result catches nothing. */
async function run({ name, project, tests }: Mutant): Promise<string | null> {
  const file = join(folder, `${MUTANTS.findIndex((one) => one.name === name)}.json`)
  const child = spawn(
    "npx",
    ["vitest", "run", "--project", project, "--bail", "1", "--reporter", "json"].concat(
      `--outputFile=${file}`,
      tests,
    ),
    { env: { ...process.env, MUTANT: name }, stdio: "ignore", timeout: PATIENCE_MS },
  )
  await new Promise((resolve) => child.once("close", resolve))
  const failed = readReport(file).find(({ status }) => status === "failed")
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
