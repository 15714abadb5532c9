import { parseArgs } from "node:util"
import { type Result, readResult, writeResult } from "../result.ts"
import { runProof } from "../run.ts"

const REQUESTS_A_SEED = 10_000
/** A count of the contract's calls, which is no sum. */
const CALLS = "calls"

const { values: flags } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    /** The same requests again. Each further 10,000 have the next seed. */
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    /** Keeps the requests of the result that is there. */
    add: { type: "boolean", default: false },
  },
})

let sum = flags.add ? readResult("abuse") : undefined
for (let left = Number(flags.requests), seed = Number(flags.seed); left > 0; seed++) {
  const requests = Math.min(left, REQUESTS_A_SEED)
  const settings = { ABUSE_REQUESTS: String(requests), ABUSE_SEED: String(seed) }
  if (!runProof("test/proof/abuse", settings)) break
  const run = readResult("abuse") as Result
  sum = sum ? added(sum, run) : run
  writeResult("abuse", sum)
  left -= requests
}

function added(one: Result, other: Result): Result {
  const figures = { ...one.figures }
  for (const [name, value] of Object.entries(other.figures)) {
    figures[name] = name === CALLS ? value : Number(figures[name] ?? 0) + Number(value)
  }
  const seeds = [...(one.seeds ?? []), ...(other.seeds ?? [])]
  const command = `npm run abuse -- --requests ${figures.requests} --seed ${seeds[0]}`
  return { ...one, command, seeds, figures }
}
