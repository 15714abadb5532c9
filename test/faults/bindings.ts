import { DIRECTORY, databaseEnv, databaseNumbers } from "../../src/worker/platform/db/databases.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { SES_SETTINGS } from "../support/fake-ses.ts"
import { workerEnv } from "../support/installation.ts"
import { faultyBucket, faultyRates, faultyStreams } from "./faulty-bindings.ts"
import { faultyD1 } from "./faulty-d1.ts"
import { type FaultyQueues, QUEUE_NAMES } from "./faulty-queues.ts"
import type { Invocation } from "./invocation.ts"
import type { Journal } from "./journal.ts"

/** So low that events wait for room. */
const PENDING_LIMIT = "100"

interface Parts {
  queues: FaultyQueues
  journal: Journal
  /** Mail goes to a provider outside. */
  isOutside: boolean
  /** Messages a second. */
  sendRate: number | null
}

/** What a process of the Worker is bound to: each call of it may fail. */
export function bindingsOf(
  invocation: Invocation,
  { queues, journal, isOutside, sendRate }: Parts,
): Env {
  const installation = workerEnv()
  return {
    ...installation,
    ...Object.fromEntries(QUEUE_NAMES.map((name) => [name, queues.producer(name, invocation)])),
    ...Object.fromEntries(
      databaseNumbers(installation).map((number) => [
        number === DIRECTORY ? "DB" : `DB_${number}`,
        faultyD1(databaseEnv(installation, number).DB, invocation, journal, number),
      ]),
    ),
    CONTENT: faultyBucket(invocation),
    TEAM_STREAM: faultyStreams(invocation, journal),
    PROVIDER_RATES: faultyRates(invocation),
    WEBHOOK_PENDING_LIMIT: PENDING_LIMIT,
    ...(isOutside && {
      ...SES_SETTINGS,
      ...(sendRate !== null && { SEND_RATE: String(sendRate) }),
    }),
  }
}
