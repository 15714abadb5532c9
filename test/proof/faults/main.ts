import { parseArgs } from "node:util"
import { runProof } from "../run.ts"

const { values: flags } = parseArgs({
  options: {
    seeds: { type: "string", default: "40" },
    /** The first seed. Each seed has its world. */
    from: { type: "string", default: "1" },
    /** With 3, all seeds are of the world with three databases. */
    databases: { type: "string", default: "1" },
  },
})

runProof("test/proof/faults", {
  FAULT_SEEDS: flags.seeds,
  FAULT_FROM: flags.from,
  DATABASES: flags.databases,
})
