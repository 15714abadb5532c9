import { hasOthers } from "../../src/worker/platform/db/databases.ts"
import { workerEnv } from "../support/installation.ts"
import { fakeInternet } from "../support/internet.ts"
import { makeClock } from "../support/work.ts"
import { createActions } from "./actions.ts"
import { createDraw } from "./chance.ts"
import { clockOf } from "./clocks.ts"
import { createEvictions } from "./evictions.ts"
import { createExcuses } from "./excuses.ts"
import { createQueues } from "./faulty-queues.ts"
import { createJournal } from "./journal.ts"
import { createLate } from "./late.ts"
import { createOutages } from "./outages.ts"
import { eachDividedBy, type Profile, profileOf } from "./profile.ts"
import { createProvider } from "./provider.ts"
import { createReceivers } from "./receivers.ts"
import { fakeTime } from "./time.ts"

/** Messages a second, of every third seed with a provider outside. */
const SEND_RATE = 5
const PROVIDER_NAME = "ses"
/** The process that goes on with moves of teams. */
export const MOVE = "a move"
/** A move makes so many times the calls of other processes. Each of them fails so many times less often. */
const CALLS_OF_A_MOVE = 40

/** What makes a world different from the plain one. */
export interface Setting {
  /** Mail goes to a provider outside. Otherwise it goes to the sandbox. */
  isOutside?: boolean
  /** Database, queues, bucket or stream are away for a while. */
  hasOutages?: boolean
  /** Some clocks are up to an hour ahead or behind. */
  hasFarClocks?: boolean
  /** The stream's objects are evicted now and then. */
  hasEvictions?: boolean
  /** A team is moved to another database. */
  hasMove?: boolean
  /** A third team is deleted. */
  hasDeletion?: boolean
  /** The databases are restored to a moment among the faults. */
  hasRestore?: boolean
  /** In the end, all content and all records expire. */
  hasRetention?: boolean
}

/** What a service has around it: time, queues, a provider, receivers of webhooks, and their faults. */
export function createSurroundings(
  seed: number,
  {
    isOutside = false,
    hasOutages = false,
    hasFarClocks = false,
    hasEvictions = false,
    hasMove = false,
  }: Setting = {},
) {
  const draw = createDraw(seed)
  const clock = makeClock()
  const log: string[] = []
  let profile: Profile | null = null
  const begunAt = clock.now()
  const note = (line: string) =>
    void log.push(`+${((clock.now() - begunAt) / 1000).toFixed(2)} s  ${line}`)
  const { realWait, moment, restore: restoreTime } = fakeTime(clock)
  const excuses = createExcuses()
  const outages = hasOutages ? createOutages({ draw, now: clock.now, note }) : undefined
  const actions = createActions({ now: clock.now, moment })
  const journal = createJournal(clock.now)
  /** What each call of a process meets. */
  const calls = {
    draw,
    positions: journal.positions,
    note,
    realWait,
    rates: (process: string) =>
      profile && (process === MOVE ? eachDividedBy(CALLS_OF_A_MOVE, profile.calls) : profile.calls),
    hangsMs: (call: string) => outages?.hangsMs(call) ?? null,
    noteClock: excuses.noteClock,
    clockOf: (process: number) => clockOf(draw, process, hasFarClocks && profile !== null),
  }
  const queues = createQueues({
    draw,
    now: clock.now,
    note,
    rates: () => profile?.queues ?? null,
    // Only the sandbox reports again by itself, and reports on a fenced team wait in this queue.
    keeps: isOutside || hasMove ? "OUTCOMES" : undefined,
  })
  const internet = fakeInternet()
  const receivers = createReceivers(internet, {
    draw,
    failures: () => profile?.receiverFails ?? 0,
    positions: journal.positions,
  })
  const isFaulty = () => profile !== null
  const provider = isOutside
    ? createProvider(internet, { draw, now: clock.now, note, isFaulty })
    : undefined
  const sendRate = isOutside && seed % 3 === 0 ? SEND_RATE : null
  const evictions = createEvictions({
    draw,
    now: clock.now,
    note,
    hasEvictions,
    rateOf: sendRate !== null && hasOthers(workerEnv()) ? PROVIDER_NAME : undefined,
  })
  return {
    ...{ seed, draw, clock, log, note, queues, journal, receivers, provider, outages, actions },
    ...{ excuses, evictions, sendRate, calls, isOutside, hasFarClocks, hasMove },
    late: createLate({ clock, draw, log }),
    begin(): void {
      profile = profileOf(seed)
      note(`faults: ${profile.name}`)
    },
    stop(): void {
      profile = null
      note("no more faults")
    },
    close(): void {
      restoreTime()
      internet.restore()
    },
  }
}
