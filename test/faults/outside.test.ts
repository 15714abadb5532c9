import { env } from "cloudflare:workers"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { emptyInstallation } from "../support/empty-installation.ts"
import { findWrongs } from "./checks/all.ts"
import { type Excuse, judgeHandovers } from "./checks/provider.ts"
import { JOURNAL_SCHEMA } from "./journal.ts"
import { plan, prepare } from "./scenario.ts"
import { runFaulty, settle } from "./settle.ts"
import { createWorld } from "./world.ts"

const SEEDS = env.FAULT_SEED
  ? env.FAULT_SEED.split(",").map(Number)
  : Array.from({ length: 8 }, (_, index) => index + 1)

const excused = new Map<Excuse, number>()
let handovers = 0

beforeAll(async () => {
  for (const statement of JOURNAL_SCHEMA) await env.DB.prepare(statement).run()
})

afterAll(() => {
  const said = [...excused].map(([excuse, count]) => `${count} since ${excuse}`)
  console.log(`${handovers} messages were taken. Handed over again: ${said.join(", ") || "none"}.`)
})

it.each(SEEDS)(
  "seed %i: a provider that fails, hangs and reports late gets each message once",
  async (seed) => {
    await emptyInstallation()
    const silence = vi.spyOn(console, "error").mockImplementation(() => {})
    const world = createWorld(seed, { isOutside: true })
    const { provider, log } = world
    if (!provider) throw new Error("No provider")
    try {
      const members = await prepare(world)
      await runFaulty(world, plan(world, members))
      await settle(world)
      const wrongs = await findWrongs(world, members)
      const again = `FAULT_SEED=${seed} npx vitest run --project seeds test/faults/outside.test.ts`
      expect(
        wrongs,
        [`Again: ${again}`, "Wrong:", ...wrongs, "Faults:", ...log].join("\n"),
      ).toEqual([])
      expect(provider.acceptances.length).toBeGreaterThan(40)
      handovers += provider.acceptances.length
      for (const excuse of judgeHandovers(provider).excuses)
        excused.set(excuse, (excused.get(excuse) ?? 0) + 1)
    } finally {
      world.close()
      silence.mockRestore()
    }
  },
  120_000,
)
