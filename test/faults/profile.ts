import type { QueueRates } from "./faulty-queues.ts"
import type { Rates } from "./invocation.ts"

/** The faults of a seed: how often each happens. */
export interface Profile {
  name: string
  calls: Rates
  queues: QueueRates
  /** The part of its calls that the failing receiver fails. */
  receiverFails: number
}

const rates = (
  fails: number,
  loses: number,
  late: number,
  before: number,
  after: number,
): Rates => ({
  fails,
  "loses the answer": loses,
  "answers late": late,
  "dies before": before,
  "dies after": after,
})

export const eachDividedBy = (by: number, given: Rates): Rates =>
  Object.fromEntries(Object.entries(given).map(([fault, rate]) => [fault, rate / by])) as Rates

const NO_QUEUE_FAULTS: QueueRates = { dropped: 0, doubled: 0, late: 0 }

const PROFILES: Profile[] = [
  {
    name: "a little of everything",
    calls: rates(0.02, 0.02, 0.01, 0.02, 0.02),
    queues: { dropped: 0.05, doubled: 0.1, late: 0.2 },
    receiverFails: 0.3,
  },
  {
    name: "processes die",
    calls: rates(0, 0, 0, 0.04, 0.06),
    queues: NO_QUEUE_FAULTS,
    receiverFails: 0.2,
  },
  {
    name: "answers are lost",
    calls: rates(0.03, 0.08, 0, 0, 0),
    queues: NO_QUEUE_FAULTS,
    receiverFails: 0.2,
  },
  {
    name: "queues lose, double and reorder, consumers hang",
    calls: rates(0, 0, 0.04, 0, 0),
    queues: { dropped: 0.25, doubled: 0.4, late: 0.4 },
    receiverFails: 0.5,
  },
  {
    name: "everything, often",
    calls: rates(0.04, 0.04, 0.02, 0.04, 0.04),
    queues: { dropped: 0.15, doubled: 0.2, late: 0.3 },
    receiverFails: 0.5,
  },
]

export const PROFILE_COUNT = PROFILES.length

export const profileOf = (seed: number): Profile => PROFILES[seed % PROFILES.length] as Profile
