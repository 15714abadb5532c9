import { parseArgs } from "node:util"
import { writeResult } from "../proof/result.ts"
import { LONG, runChaos } from "./run.ts"

const USAGE = `npm run chaos -- [--kills 10] [--before FOLDER] [--port PORT]
Starts the service on a state of its own, uses it with the packed client, kills all of its processes at random
times, and compares what the callers, receivers and readers know with the API. With --before, the version of that
checkout runs until the first kill, and this one goes on: an upgrade with mail under way.`

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    kills: { type: "string", default: "10" },
    before: { type: "string" },
    port: { type: "string" },
  },
})

async function main() {
  const { before } = values
  const kills = Number(values.kills)
  if (!Number.isInteger(kills) || kills < 1) throw new Error("--kills must be a number from 1")
  const port = values.port === undefined ? {} : { port: Number(values.port) }
  const run = await runChaos({ kills, before, pace: LONG, say: console.log, ...port })
  const { violations } = run
  const figures = Object.fromEntries([
    ...Object.entries(run.figures).map(([name, figure]) => [inWords(name), figure]),
    ["violations", violations.length],
  ])
  console.table(figures)
  for (const violation of violations) console.log(`- ${violation}`)
  writeResult(before ? "upgrade" : "chaos", { ...(before ? UPGRADE : CHAOS)(kills), figures })
  process.exitCode = violations.length > 0 ? 1 : 0
}

const COMPARED =
  "Callers keep a journal of what was accepted, receivers of what they heard, readers of a stream of what they read. After the last start, the API agrees with all of them: nothing is lost, sent twice, told with a gap, or without an end."

const CHAOS = (kills: number) => ({
  name: "Killing the running service",
  command: `npm run chaos -- --kills ${kills}`,
  shows: `All processes of \`npm run dev\` are killed at random times under load. ${COMPARED}`,
  doesNotShow:
    "Cloudflare's own failures: the local queues forget their messages with each kill, which production does not.",
})

const UPGRADE = (kills: number) => ({
  name: "An upgrade with mail under way",
  command: `npm run chaos -- --kills ${kills} --before FOLDER`,
  shows: `An earlier version is used and killed, and this version goes on with its data, killed again. ${COMPARED}`,
  doesNotShow: "The minutes of a deployment to Cloudflare, when both versions run.",
})

/** `emailsInInbox` as "emails in inbox". */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

if (values.help) console.log(USAGE)
else await main()
