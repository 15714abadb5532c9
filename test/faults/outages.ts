import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../support/installation.ts"
import type { Draw } from "./chance.ts"
import { nameOf } from "./faulty-d1.ts"

/** What the service depends on, by the names of its calls. */
const DEPENDENCIES = {
  "the database": (call: string) => call.startsWith(`${nameOf(1)} `),
  "the second database": (call: string) => call.startsWith(`${nameOf(2)} `),
  "the third database": (call: string) => call.startsWith(`${nameOf(3)} `),
  "the queues": (call: string) => call.endsWith(" send"),
  "the bucket": (call: string) => call.startsWith("R2 "),
  "the stream": (call: string) => call.startsWith("stream "),
}
export type Dependency = keyof typeof DEPENDENCIES
const FURTHER: Dependency[] = ["the second database", "the third database"]

const RECORDS_NEED: Dependency[] = ["the database", ...FURTHER, "the queues"]
/** The longest wait of a queue between two tries. */
const RETRIED_WITHIN_MS = 55 * 60_000

/** How a call ends meanwhile. */
const WAYS = ["fails", "hangs, then fails"] as const
/** A hanging call takes so long by the clock of its process. */
const HANGS_MS = 20_000

const SHORTEST_MS = 1_000
const LONGEST_MS = 2 * 3_600_000
const BEGIN_WITHIN_MS = 4 * 60_000

interface Surroundings {
  draw: Draw
  now(): number
  note(line: string): void
}

export type Outages = ReturnType<typeof createOutages>

/** Two outages, each of one dependency, of a second to hours. They end by the world's clock. */
export function createOutages({ draw, now, note }: Surroundings) {
  const begunAt = now()
  const names = (Object.keys(DEPENDENCIES) as Dependency[]).filter(
    (name) => hasOthers(workerEnv()) || !FURTHER.includes(name),
  )
  const outages = [0, 1].map((index) => {
    const pick = <T>(of: readonly T[], what: string) =>
      of[Math.floor(draw(`${what} of outage ${index}`) * of.length)] as T
    const from = begunAt + draw(`start of outage ${index}`) * BEGIN_WITHIN_MS
    const lengthMs = SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** draw(`length of outage ${index}`)
    const outage = { of: pick(names, "kind"), way: pick(WAYS, "way"), from, until: from + lengthMs }
    const seconds = (ms: number) => Math.round(ms / 1_000)
    note(
      `${outage.of} ${outage.way} from +${seconds(from - begunAt)} s, for ${seconds(lengthMs)} s`,
    )
    return outage
  })
  const current = () => outages.filter(({ from, until }) => from <= now() && now() < until)

  return {
    lastEndsAt: Math.max(...outages.map(({ until }) => until)),
    /** How long the call hangs before it fails. Null where what it calls is there. */
    hangsMs(call: string): number | null {
      const outage = current().find(({ of }) => DEPENDENCIES[of](call))
      if (!outage) return null
      return outage.way === "fails" ? 0 : HANGS_MS
    },
    /** Whether a report that was taken at `since` may be unrecorded at `to`. */
    delaysRecords: (since: number, to: number) =>
      outages.some(
        ({ of, from, until }) =>
          RECORDS_NEED.includes(of) && from < to && since < until && to < until + RETRIED_WITHIN_MS,
      ),
    isAway: () => current().length > 0,
    isOut: (dependency: Dependency) => current().some(({ of }) => of === dependency),
  }
}
