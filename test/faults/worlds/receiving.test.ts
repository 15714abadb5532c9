import { checkIncoming } from "../checks/incoming.ts"
import { checkLeftovers, checkTold } from "../checks/rest.ts"
import { testStory } from "../in-world.ts"
import { arrive, prepareReceiving } from "../incoming.ts"
import { runFaulty, settle } from "../settle.ts"

testStory(
  "receiving",
  "each message once, byte for byte, and none refused for a fault of ours",
  (seed) => ({ hasFarClocks: seed % 3 === 2, hasOutages: seed % 3 === 0 }),
  async (world) => {
    const receiving = await prepareReceiving(world)
    await runFaulty(world, arrive(world, receiving), [receiving.team.id])
    await settle(world)
    const wrongs = [
      ...(await checkIncoming(world, receiving)),
      ...(await checkLeftovers()),
      ...checkTold(world),
    ]
    return { wrongs }
  },
)
