import { parseArgs } from "node:util"
import { runProof } from "../run.ts"

const { values: flags } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    /** The same requests again. */
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
})

runProof("test/proof/abuse", { ABUSE_REQUESTS: flags.requests, ABUSE_SEED: flags.seed })
