import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it } from "vitest"
import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../support/installation.ts"
import { createJournals } from "./journal.ts"
import { runSeed, WORLD_NAMES, type WorldName } from "./seed.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** 41: a dead letter was still in R2 at the end. 73: a hand-over began after its lease. */
const ONCE_FAILED = [41, 73]

const SEEDS: Record<WorldName, number[]> = {
  sandbox: [...upTo(5), ...ONCE_FAILED],
  provider: upTo(2),
  outages: upTo(2),
  clocks: upTo(2),
  evictions: upTo(2),
}
/** 10: with a move. 3: an object shares out the rate. 4: one database is away. */
const SEEDS_OF_SEVERAL: Partial<Record<WorldName, number[]>> = {
  sandbox: [10],
  provider: [3],
  outages: [4],
}

const chosen = env.FAULT_SEED ? env.FAULT_SEED.split(",").map(Number) : undefined
const usual = hasOthers(workerEnv()) ? SEEDS_OF_SEVERAL : SEEDS
const runs = WORLD_NAMES.filter((world) => !env.FAULT_WORLD || world === env.FAULT_WORLD).flatMap(
  (world) => (chosen ?? usual[world] ?? []).map((seed) => ({ world, seed })),
)

const excused = new Map<string, number>()
let handovers = 0

beforeAll(createJournals)

afterAll(() => {
  const said = [...excused].map(([excuse, count]) => `${count} since ${excuse}`)
  console.log(`${handovers} hand-overs. Excused: ${said.join(", ") || "none"}.`)
})

it.each(runs)(
  "$world, seed $seed: nothing is lost, doubled, stuck or untold",
  async ({ world, seed }) => {
    const run = await runSeed(world, seed)
    expect(run.wrongs, run.said).toEqual([])
    expect(run.handovers).toBeGreaterThan(40)
    if (world === "evictions") expect(run.reconnects).toBeGreaterThan(0)
    handovers += run.handovers
    for (const [excuse, count] of run.excuses) {
      excused.set(excuse, (excused.get(excuse) ?? 0) + count)
    }
  },
  240_000,
)
