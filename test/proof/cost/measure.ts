import { env } from "cloudflare:workers"
import type { Env } from "../../../src/worker/platform/env.ts"
import { cpuOfAll } from "../../support/cpu.ts"
import { SES_SETTINGS } from "../../support/fake-ses.ts"
import { metered } from "../../support/meter.ts"
import { playDatabase, type Run, recordDatabase, settled } from "../../support/own-cost.ts"
import { type Bucket, countedBucket, keptBucket } from "./bucket.ts"
import type { Cost } from "./prices.ts"

const QUEUES = [
  ...["SENDS", "SENDS_BACKLOG", "SENDS_BULK", "OUTCOMES"],
  ...["DELIVERIES", "CAMPAIGNS", "MINUTES"],
]
/** A message is written, read and deleted, each by 64 KB. */
const OPERATIONS_A_MESSAGE = 3
const BILLED_BYTES = 64_000

const TRIES = 8
const REPEATS = 5
const LONG_MS = 300

/** One operation, with the bindings that count it. */
export interface Operation {
  name: string
  /** Invocations of the Worker: one, unless it says otherwise after its run. */
  requests?: () => number
  run: Run
}

/** For what is prepared, and not measured. */
export const quietBindings = (): Env => ({ ...bindings(noCounts(), env.CONTENT), DB: env.DB })

const noCounts = (): Counts => ({ queueOperations: 0, objectCalls: 0, r2Writes: 0, r2Reads: 0 })

type Counts = Pick<Cost, "queueOperations" | "objectCalls" | "r2Writes" | "r2Reads">

/**
 * Runs it once and counts, with the real database and bucket. The CPU time is of further runs with
 * the recorded answers, since on Cloudflare the database does not run in the Worker.
 */
export async function measure({ requests = () => 1, run }: Operation): Promise<Cost> {
  const counts = noCounts()
  const tape = new Map<string, string[]>()
  const objects = new Map<string, ArrayBuffer>()
  const answers: Answers = new Map()
  const counted = bindings(counts, countedBucket(env.CONTENT, counts, objects))
  const { roundTrips, rowsRead, rowsWritten } = await metered(() =>
    settled(run, {
      ...counted,
      TEAM_STREAM: countedObjects(counts, answers),
      DB: recordDatabase(tape),
    }),
  )
  const invocations = requests()
  const again = () =>
    settled(run, {
      ...bindings(noCounts(), keptBucket(objects)),
      TEAM_STREAM: keptObjects(answers),
      DB: playDatabase(tape),
    })
  const cpuMs = await leastCpuOf(again)
  return {
    requests: invocations,
    roundTrips,
    rowsRead,
    rowsWritten,
    ...counts,
    cpuMs,
  }
}

/** Other programs disturb a try, so the least of a few counts. */
async function leastCpuOf(work: () => Promise<unknown>): Promise<number> {
  const first = await cpuOfAll(work)
  const [tries, repeats] = first > LONG_MS ? [2, 1] : [TRIES, REPEATS]
  const times = [first]
  for (let attempt = 0; attempt < tries; attempt++) {
    const time = await cpuOfAll(async () => {
      for (let round = 0; round < repeats; round++) await work()
    })
    times.push(time / repeats)
  }
  console.log(times.map((t) => t.toFixed(2)).join(" "))
  return Math.min(...times)
}

const bindings = (counts: Counts, CONTENT: Bucket): Env => {
  const take = (bodies: readonly unknown[]) => {
    for (const body of bodies) {
      const chunks = Math.ceil(JSON.stringify(body).length / BILLED_BYTES)
      counts.queueOperations += OPERATIONS_A_MESSAGE * chunks
    }
  }
  const queue = {
    send: async (body: unknown) => take([body]),
    sendBatch: async (messages: Iterable<{ body: unknown }>) =>
      take([...messages].map(({ body }) => body)),
  }
  const queues = Object.fromEntries(QUEUES.map((name) => [name, queue]))
  return { ...env, ...SES_SETTINGS, ...queues, CONTENT } as unknown as Env
}

type Method = (...args: unknown[]) => unknown

/** Each call of a method is a request to the object. Its answers are kept. */
const countedObjects = (counts: Counts, answers: Answers) =>
  objects((name, method) => async (...args) => {
    counts.objectCalls++
    const stub = env.TEAM_STREAM.getByName(name) as unknown as Record<string, Method>
    const answer = await stub[method]?.(...args)
    answers.set(method, [...(answers.get(method) ?? []), answer])
    return answer
  })

/** Answers what was answered before, in turn. */
function keptObjects(answers: Answers) {
  const asked = new Map<string, number>()
  return objects((_, method) => async () => {
    const at = asked.get(method) ?? 0
    asked.set(method, at + 1)
    return answers.get(method)?.[at]
  })
}

type Answers = Map<string, unknown[]>

const objects = (methodOf: (name: string, method: string) => Method) =>
  ({
    getByName: (name: string) =>
      new Proxy({}, { get: (_, method) => methodOf(name, String(method)) }),
  }) as unknown as DurableObjectNamespace
