import { env } from "cloudflare:workers"
import { beforeAll, expect, it } from "vitest"
import { type Kind, kindOf } from "../../faults/checks/kinds.ts"
import { createJournals } from "../../faults/journal.ts"
import { PROFILE_COUNT } from "../../faults/profile.ts"
import { runSeed, WORLD_NAMES, type WorldName } from "../../faults/seed.ts"

/** Each world with each profile of faults, which follows from the seed as well. */
const worldOf = (seed: number) =>
  WORLD_NAMES[Math.floor(seed / PROFILE_COUNT) % WORLD_NAMES.length] as WorldName
const seeds = (env.FAULT_SEED || "1").split(",").map(Number)

/** What became of a seed. */
export interface Outcome {
  seed: number
  world: WorldName
  emails: number
  handovers: number
  excuses: [name: string, times: number][]
  wrongs: Kind[]
}

declare module "vitest" {
  interface TaskMeta {
    outcome?: Outcome
  }
}

beforeAll(createJournals)

it.for(seeds)("seed %i", { timeout: 600_000 }, async (seed, { task }) => {
  const world = worldOf(seed)
  const { emails, handovers, excuses, wrongs, said } = await runSeed(world, seed)
  const kinds = wrongs.map(kindOf)
  task.meta.outcome = { seed, world, emails, handovers, excuses: [...excuses], wrongs: kinds }
  expect(wrongs, said).toEqual([])
})
