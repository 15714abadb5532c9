import { vi } from "vitest"
import { emptyInstallation } from "../support/empty-installation.ts"
import { findWrongs } from "./checks/all.ts"
import { rows } from "./checks/rows.ts"
import type { Excuse } from "./excuses.ts"
import { checkPacks, moveToPacks } from "./packs.ts"
import { plan, prepare } from "./scenario.ts"
import { runFaulty, settle } from "./settle.ts"
import { createWorld, type Setting } from "./world.ts"

/** The worlds, each with what the seed decides. */
export const WORLDS = {
  sandbox: () => ({}),
  provider: () => ({ isOutside: true }),
  outages: (seed) => ({ hasOutages: true, isOutside: seed % 2 === 0 }),
  clocks: (seed) => ({ hasFarClocks: true, isOutside: seed % 2 === 0 }),
  evictions: (seed) => ({ hasEvictions: true, isOutside: seed % 2 === 0 }),
} satisfies Record<string, (seed: number) => Setting>
export type WorldName = keyof typeof WORLDS

export interface SeedRun {
  wrongs: string[]
  emails: number
  handovers: number
  excuses: ReadonlyMap<Excuse, number>
  /** How often readers of the stream came again. */
  reconnects: number
  /** What is wrong, what happened, and how to run it again. */
  said: string
}

/** The whole story of one seed: prepare, act while faults happen, settle, judge. */
export async function runSeed(name: WorldName, seed: number): Promise<SeedRun> {
  await emptyInstallation()
  const silenced = (["warn", "error"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {}),
  )
  const world = createWorld(seed, WORLDS[name](seed))
  const { provider, log } = world
  try {
    const members = await prepare(world)
    await runFaulty(
      world,
      plan(world, members),
      members.map(({ team }) => team.id),
    )
    await settle(world)
    const wrongs = await findWrongs(world, members)
    if (wrongs.length === 0) {
      await moveToPacks(world, members)
      wrongs.push(...(await checkPacks(members)))
    }
    const again = `FAULT_WORLD=${name} FAULT_SEED=${seed} npx vitest run --project seeds test/faults/faults.test.ts`
    return {
      wrongs,
      emails: (await rows("select count(*) as count from emails"))[0]?.count ?? 0,
      handovers: (provider?.acceptances ?? world.journal.handovers).length,
      excuses: world.excuses.counts,
      reconnects: members.reduce((sum, { stream }) => sum + stream.reconnects(), 0),
      said: [`Again: ${again}`, "Wrong:", ...wrongs, "Faults:", ...log].join("\n"),
    }
  } finally {
    world.close()
    for (const one of silenced) one.mockRestore()
  }
}
