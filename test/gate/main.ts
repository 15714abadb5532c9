import { changedFiles } from "./changed.ts"
import { GATE, NIGHTLY } from "./parts.ts"
import { type Ran, runPart } from "./run.ts"
import { summarize } from "./summary.ts"
import { triggeredParts } from "./triggered.ts"

const LIMIT_SECONDS = 900
/** What a part may take longer than expected. */
const RESERVE_SECONDS = 40

/** `npm ci` and what came before it. */
const before = Number(process.env.SECONDS_BEFORE ?? 0)
const ran: Ran[] = before ? [{ name: "npm ci", seconds: before, passed: true, files: [] }] : []
const leftOut: string[] = []

const elapsed = () => ran.reduce((sum, { seconds }) => sum + seconds, 0)

for (const part of GATE) ran.push(await runPart(part))
const expected = before + GATE.reduce((sum, { seconds }) => sum + seconds, 0)
/** Above 1 on a machine that is slower, or busy. */
const slowness = Math.max(1, elapsed() / expected)
for (const part of triggeredParts(NIGHTLY, changedFiles())) {
  const end = elapsed() + part.seconds * slowness
  if (end > LIMIT_SECONDS - RESERVE_SECONDS) leftOut.push(part.name)
  else ran.push(await runPart(part))
}
console.log(summarize(ran, leftOut))
process.exitCode = ran.every(({ passed }) => passed) ? 0 : 1
