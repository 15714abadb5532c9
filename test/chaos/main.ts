import { parseArgs } from "node:util"
import { writeProof } from "../support/proof.ts"
import { LONG, runChaos } from "./run.ts"

const USAGE = `npm run chaos -- [--kills 10] [--port PORT] [--out FILE]
Starts the service on a state of its own, uses it with the packed client, kills all of its processes at random
times, and compares what the callers, receivers and readers know with the API. --out writes the figures as JSON.`

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    kills: { type: "string", default: "10" },
    port: { type: "string" },
    out: { type: "string" },
  },
})

if (values.help) console.log(USAGE)
else await main()

async function main() {
  const kills = Number(values.kills)
  if (!Number.isInteger(kills) || kills < 1) throw new Error("--kills must be a number from 1")
  const port = values.port === undefined ? {} : { port: Number(values.port) }
  const { figures, violations } = await runChaos({ kills, pace: LONG, say: console.log, ...port })
  const rows = Object.entries(figures).map(([name, figure]) => `| ${inWords(name)} | ${figure} |`)
  console.log(["", "| figure | |", "|---|---|", ...rows, ""].join("\n"))
  console.log(`${violations.length} violations`)
  for (const violation of violations) console.log(`- ${violation}`)
  const all = { ...figures, violations: violations.length }
  const command = `npm run chaos -- --kills ${kills}`
  if (values.out) writeProof(values.out, "chaos", command, all)
  process.exitCode = violations.length > 0 ? 1 : 0
}

/** `emailsInInbox` as "emails in inbox". */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
