import { createExecutionContext } from "cloudflare:test"
import { env, exports } from "cloudflare:workers"
import { AsyncLocalStorage } from "node:async_hooks"
import { afterAll, beforeAll } from "vitest"
import worker from "../../src/worker/index.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { workerEnv } from "./installation.ts"
import { fakeQueue } from "./queue.ts"

export interface Meter {
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  /** Of one answer. */
  mostRows: number
}

const current = new AsyncLocalStorage<Meter>()
let isCounting = false

/**
 * Counts what the work itself costs, from D1's own figures, whatever else runs meanwhile.
 * Leans on a private method of D1's binding.
 */
export async function metered(work: () => Promise<unknown>): Promise<Meter> {
  countCalls()
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, mostRows: 0 }
  await current.run(meter, work)
  return meter
}

/** What the work that is metered has cost so far. */
export const readMeter = (): Meter => ({ ...(current.getStore() as Meter) })

let withoutQueue: Partial<Env> | undefined

/**
 * For a file or a block of tests: what calls send to the queue of campaigns reaches nobody. A consumer of
 * the Worker that goes on with one test's campaign would take the emails of the next.
 */
export function cutOffCampaigns(): void {
  beforeAll(() => {
    withoutQueue = { CAMPAIGNS: fakeQueue().queue }
  })
  afterAll(() => {
    withoutQueue = undefined
  })
}

/** A call over HTTP; a metered one stays in this thread, where its cost can be told apart. */
export const callWorker = (request: Request): Promise<Response> | Response =>
  current.getStore() || withoutQueue
    ? worker.fetch(request, { ...workerEnv(), ...withoutQueue }, createExecutionContext())
    : exports.default.fetch(request)

function countCalls() {
  if (isCounting) return
  isCounting = true
  // biome-ignore lint/suspicious/noExplicitAny: the binding's inner session is not in its types
  const session = Object.getPrototypeOf(Object.getPrototypeOf((env.DB as any).alwaysPrimarySession))
  const send = session._send
  session._send = async function (...args: unknown[]) {
    const meter = current.getStore()
    if (meter) meter.roundTrips++
    const answer = await send.apply(this, args)
    for (const result of [answer].flat()) {
      if (!meter) break
      meter.rowsRead += result?.meta?.rows_read ?? 0
      meter.rowsWritten += result?.meta?.rows_written ?? 0
      const rows = result?.results?.rows ?? result?.results ?? []
      meter.mostRows = Math.max(meter.mostRows, rows.length)
    }
    return answer
  }
}
