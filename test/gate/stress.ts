import { type ChildProcess, spawn } from "node:child_process"
import { parseArgs } from "node:util"
import { GATE } from "./parts.ts"
import { type Ran, runPart } from "./run.ts"
import { summarize } from "./summary.ts"

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1" },
    /** How many processes that never rest run beside the tests. */
    busy: { type: "string", default: "4" },
  },
})

/** The tests of the gate in a random order of files, beside processes that never rest. */
const busy: ChildProcess[] = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
)
process.env.SHUFFLED = "yes"
const ran: Ran[] = []
try {
  for (let run = 1; run <= Number(values.runs); run++) {
    for (const part of GATE) {
      if (part.name !== "check")
        ran.push(await runPart({ ...part, name: `${part.name}, run ${run}` }))
    }
  }
} finally {
  for (const one of busy) one.kill("SIGKILL")
}
console.log(summarize(ran, []))
process.exitCode = ran.every(({ passed }) => passed) ? 0 : 1
