import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Draw } from "./chance.ts"

/** How often a stream's object is evicted between two rounds. */
const OF_A_STREAM = 0.15
const OF_THE_RATE = 0.05

interface Surroundings {
  draw: Draw
  now(): number
  note(line: string): void
  hasEvictions: boolean
  /** The provider whose rate an object shares out, if one does. */
  rateOf: string | undefined
}

/** The Durable Objects die now and then. */
export function createEvictions({ draw, now, note, hasEvictions, rateOf }: Surroundings) {
  const ofTheRate: number[] = []
  return {
    /** When the object that shares out the rate was evicted. */
    ofTheRate: ofTheRate as readonly number[],
    async evict(teamIds: readonly string[], round: number): Promise<void> {
      for (const teamId of hasEvictions ? teamIds : []) {
        if (draw(`eviction ${round} ${teamId}`) >= OF_A_STREAM) continue
        note(`the stream of ${teamId} is evicted`)
        await abort(env.TEAM_STREAM.getByName(teamId))
      }
      if (rateOf && draw(`eviction ${round} of the rate`) < OF_THE_RATE) {
        note("the object that shares out the rate is evicted")
        ofTheRate.push(now())
        await abort(env.PROVIDER_RATES.getByName(rateOf))
      }
    },
  }
}

const abort = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, state) => state.abort("evicted")).catch(() => {})
