import { parseArgs } from "node:util"
import { NIGHTLY } from "./parts.ts"
import { type Ran, runPart } from "./run.ts"
import { summarize } from "./summary.ts"

const { positionals: asked } = parseArgs({ allowPositionals: true })
const unknown = asked.filter((name) => !NIGHTLY.some((part) => part.name === name))
if (unknown.length > 0) {
  const names = NIGHTLY.map(({ name }) => name).join(", ")
  console.error(`No part is named ${unknown.join(", ")}. The parts: ${names}.`)
  process.exit(2)
}
const ran: Ran[] = []
for (const part of NIGHTLY) {
  if (asked.length === 0 || asked.includes(part.name)) ran.push(await runPart(part))
}
console.log(summarize(ran, []))
process.exitCode = ran.every(({ passed }) => passed) ? 0 : 1
