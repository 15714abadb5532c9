import { checkHandovers } from "../checks/handovers.ts"
import { checkLives } from "../checks/lives.ts"
import { checkLeftovers, checkTold } from "../checks/rest.ts"
import { testStory } from "../in-world.ts"
import { live, prepareLives } from "../lives.ts"
import { runFaulty, settle } from "../settle.ts"

testStory(
  "sequences",
  "each step once, and no mail to somebody who had said no",
  (seed) => ({ hasFarClocks: seed % 3 === 2, hasOutages: seed % 3 === 0 }),
  async (world) => {
    const lives = await prepareLives(world)
    await runFaulty(world, live(world, lives), [lives.team.id])
    await settle(world)
    const wrongs = [
      ...(await checkLives(world, lives)),
      ...checkHandovers(world),
      ...(await checkLeftovers()),
      ...checkTold(world),
    ]
    return { wrongs }
  },
)
