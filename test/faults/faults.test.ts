import { env } from "cloudflare:workers"
import { beforeAll, expect, it, vi } from "vitest"
import { emptyInstallation } from "../support/empty-installation.ts"
import { findWrongs } from "./checks/all.ts"
import { JOURNAL_SCHEMA } from "./journal.ts"
import { checkPacks, moveToPacks } from "./packs.ts"
import { plan, prepare } from "./scenario.ts"
import { runFaulty, settle } from "./settle.ts"
import { createWorld } from "./world.ts"

/** 41: a dead letter was still in R2 at the end. 73: a hand-over began after its lease. */
const ONCE_FAILED = [41, 73]

const SEEDS = env.FAULT_SEED
  ? env.FAULT_SEED.split(",").map(Number)
  : [...Array.from({ length: 30 }, (_, index) => index + 1), ...ONCE_FAILED]

beforeAll(async () => {
  for (const statement of JOURNAL_SCHEMA) await env.DB.prepare(statement).run()
})

it.each(SEEDS)(
  "seed %i: nothing is lost, doubled, stuck or untold",
  async (seed) => {
    await emptyInstallation()
    const silence = vi.spyOn(console, "error").mockImplementation(() => {})
    const world = createWorld(seed)
    try {
      const members = await prepare(world)
      await runFaulty(world, plan(world, members))
      await settle(world)
      const wrongs = await findWrongs(world, members)
      expect(wrongs, explain(seed, wrongs, world.log)).toEqual([])
      await moveToPacks(world, members)
      const lost = await checkPacks(members)
      expect(lost, explain(seed, lost, world.log)).toEqual([])
    } finally {
      world.close()
      silence.mockRestore()
    }
  },
  120_000,
)

const explain = (seed: number, wrongs: readonly string[], log: readonly string[]) =>
  [
    `Again: FAULT_SEED=${seed} npx vitest run --project seeds test/faults`,
    "Wrong:",
    ...wrongs,
    "Faults:",
    ...log,
  ].join("\n")
