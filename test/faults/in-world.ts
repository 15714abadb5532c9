import { env } from "cloudflare:workers"
import { beforeAll, expect, it, vi } from "vitest"
import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { emptyInstallation } from "../support/empty-installation.ts"
import { workerEnv } from "../support/installation.ts"
import { createJournals } from "./journal.ts"
import { dropSnapshots } from "./snapshot.ts"
import type { Setting } from "./surroundings.ts"
import { createWorld, type World } from "./world.ts"

type Found = { wrongs: string[] }

/** Runs a story in an empty installation. `said`: what is wrong, what happened, and how to run it again. */
export async function inWorld<T extends Found>(
  name: string,
  seed: number,
  setting: Setting,
  story: (world: World) => Promise<T>,
): Promise<T & { said: string }> {
  await dropSnapshots()
  await emptyInstallation()
  const silenced = (["warn", "error"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  )
  const world = createWorld(seed, setting)
  try {
    const found = await story(world)
    const project = hasOthers(workerEnv()) ? "seeds-databases" : "seeds"
    const again = `FAULT_SEED=${seed} npx vitest run --project ${project} test/faults/worlds/${name}`
    return {
      ...found,
      said: [`Again: ${again}`, "Wrong:", ...found.wrongs, "Faults:", ...world.log].join("\n"),
    }
  } finally {
    world.close()
    for (const one of silenced) one.mockRestore()
  }
}

export const askedSeeds = (): number[] => env.FAULT_SEED.split(",").filter(Boolean).map(Number)

/** A larger world than usual takes as long as it needs. */
const LONGEST_MS = env.SEQUENCE_CROWD || env.RECEIVED_MESSAGES ? 6 * 3_600_000 : 600_000

/** A world with a story of its own, in a file of its own. */
export function testStory(
  name: string,
  rule: string,
  settingOf: (seed: number) => Setting,
  story: (world: World) => Promise<Found>,
): void {
  const asked = askedSeeds()
  beforeAll(createJournals)
  it.each(asked.length > 0 ? asked : [1])(
    `${name}, seed %i: ${rule}`,
    async (seed) => {
      const { wrongs, said } = await inWorld(name, seed, settingOf(seed), story)
      expect(wrongs, said).toEqual([])
    },
    LONGEST_MS,
  )
}
