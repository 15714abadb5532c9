import { afterAll, beforeAll, expect, it } from "vitest"
import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../support/installation.ts"
import { askedSeeds } from "./in-world.ts"
import { createJournals } from "./journal.ts"
import { runSeed, type WorldName } from "./seed.ts"

/** 10: with a move. 3: an object shares out the rate. 4: one database is away. */
const SEEDS_OF_SEVERAL: Partial<Record<WorldName, number>> = {
  sandbox: 10,
  provider: 3,
  outages: 4,
}

const usualSeeds = (world: WorldName): (number | undefined)[] =>
  hasOthers(workerEnv()) ? [SEEDS_OF_SEVERAL[world]] : [1]

/** Each world is a file, so that worlds run side by side. `FAULT_SEED` chooses other seeds. */
export function testWorld(world: WorldName): void {
  const asked = askedSeeds()
  const seeds = asked.length > 0 ? asked : usualSeeds(world).filter((seed) => seed !== undefined)
  const excused = new Map<string, number>()
  let handovers = 0

  beforeAll(createJournals)

  afterAll(() => {
    const said = [...excused].map(([excuse, count]) => `${count} since ${excuse}`)
    console.log(`${handovers} hand-overs. Excused: ${said.join(", ") || "none"}.`)
  })

  it.each(seeds)(
    `${world}, seed %i: nothing is lost, doubled, stuck or untold`,
    async (seed) => {
      const run = await runSeed(world, seed)
      expect(run.wrongs, run.said).toEqual([])
      expect(run.handovers).toBeGreaterThan(40)
      if (world === "evictions") expect(run.reconnects).toBeGreaterThan(0)
      handovers += run.handovers
      for (const [excuse, count] of run.excuses) {
        excused.set(excuse, (excused.get(excuse) ?? 0) + count)
      }
    },
    600_000,
  )
}
