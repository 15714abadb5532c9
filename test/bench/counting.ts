import type { Call } from "./load.ts"
import { send } from "./operations.ts"
import type { Ports } from "./platform.ts"

export interface Message {
  queue: string
  body: unknown
}

/** One invocation of the Worker, by the databases' own figures. */
export interface Counted {
  status: number
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  /** Round trips by the name of the binding. */
  byDatabase: Record<string, number>
  /** What it would have sent to queues. */
  messages: Message[]
  ms: number
}

/** Invocations whose queries are counted, and whose messages go nowhere by themselves. */
export function createCounting({ recorder }: Pick<Ports, "recorder">) {
  async function count(call: Call): Promise<Counted> {
    const startedAt = performance.now()
    const reply = await send(recorder, call)
    if (!reply.ok) throw new Error(`${call.path}: ${await reply.text()}`)
    const counted = (await reply.json()) as Counted & { retried: number }
    if (counted.retried > 0) throw new Error(`${counted.retried} messages would come again`)
    return { ...counted, ms: performance.now() - startedAt }
  }
  return {
    call: count,
    minute: () => count({ method: "POST", path: "/count/minute" }),
    /** Messages of one queue in one invocation. */
    messages: (messages: readonly Message[]) =>
      count({ method: "POST", path: "/count/queue", body: JSON.stringify(messages) }),
  }
}

export type Counting = ReturnType<typeof createCounting>
