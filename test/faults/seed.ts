import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../support/installation.ts"
import { findWrongs } from "./checks/all.ts"
import { rows } from "./checks/rows.ts"
import { leave, prepareLeaving } from "./deletion.ts"
import type { Excuse } from "./excuses.ts"
import { inWorld } from "./in-world.ts"
import { checkPacks, moveToPacks } from "./packs.ts"
import { restore } from "./restore.ts"
import { expire } from "./retention.ts"
import { plan, prepare } from "./scenario.ts"
import { runFaulty, settle } from "./settle.ts"
import { type Snapshot, takeSnapshot } from "./snapshot.ts"
import type { Setting } from "./surroundings.ts"

/** The worlds, each with what the seed decides. */
export const WORLDS = {
  sandbox: () => ({}),
  provider: () => ({ isOutside: true }),
  outages: (seed) => ({ hasOutages: true, isOutside: seed % 2 === 0 }),
  clocks: (seed) => ({
    hasFarClocks: true,
    hasDeletion: false,
    hasRestore: false,
    isOutside: seed % 2 === 0,
  }),
  evictions: (seed) => ({ hasEvictions: true, isOutside: seed % 2 === 0 }),
} satisfies Record<string, (seed: number) => Setting>
export type WorldName = keyof typeof WORLDS

export const WORLD_NAMES = Object.keys(WORLDS) as WorldName[]

/** With several databases, each seventh seed moves a team. Seven meets every world and every profile. */
const hasMove = (seed: number) => hasOthers(workerEnv()) && seed % 7 === 3

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
export function runSeed(name: WorldName, seed: number): Promise<SeedRun> {
  const setting: Setting = {
    hasDeletion: seed % 3 === 1,
    hasRestore: seed % 2 === 0,
    hasRetention: seed % 2 === 1,
    ...WORLDS[name](seed),
    ...(hasMove(seed) && { hasMove: true, hasDeletion: false, hasRestore: false }),
  }
  return inWorld(name, seed, setting, async (world) => {
    const members = await prepare(world)
    const leaving = setting.hasDeletion ? await prepareLeaving(world) : undefined
    let snapshot: Snapshot | undefined
    const actions = [...plan(world, members), ...(leaving ? leave(world, leaving) : [])]
    if (setting.hasRestore) {
      const at = Math.floor(world.draw("snapshot") * actions.length)
      actions.splice(at, 0, async () => {
        snapshot = await takeSnapshot(world)
      })
    }
    await runFaulty(
      world,
      actions,
      members.map(({ team }) => team.id),
    )
    await settle(world)
    const emails = (await rows("select id from emails")).length
    const handovers = (world.provider?.acceptances ?? world.journal.handovers).length
    const wrongs = await findWrongs(world, members, leaving)
    const afterwards = [
      () => moveToPacks(world, members).then(() => checkPacks(members)),
      () => (setting.hasRetention ? expire(world, members) : []),
      () => (snapshot ? restore(world, members, snapshot, leaving) : []),
    ]
    for (const next of afterwards) if (wrongs.length === 0) wrongs.push(...(await next()))
    return {
      ...{ wrongs, emails, handovers },
      excuses: world.excuses.counts,
      reconnects: members.reduce((sum, { stream }) => sum + stream.reconnects(), 0),
    }
  })
}
