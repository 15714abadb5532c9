import { env } from "cloudflare:workers"

export interface Meter {
  roundTrips: number
  rowsRead: number
  rowsWritten: number
}

/** Counts what the work costs, from D1's own figures; leans on a private method of its binding. */
export async function metered(work: () => Promise<unknown>): Promise<Meter> {
  // biome-ignore lint/suspicious/noExplicitAny: the binding's inner session is not in its types
  const session = Object.getPrototypeOf(Object.getPrototypeOf((env.DB as any).alwaysPrimarySession))
  const meter: Meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 }
  const send = session._send
  session._send = async function (...args: unknown[]) {
    meter.roundTrips++
    const answer = await send.apply(this, args)
    for (const result of [answer].flat()) {
      meter.rowsRead += result?.meta?.rows_read ?? 0
      meter.rowsWritten += result?.meta?.rows_written ?? 0
    }
    return answer
  }
  try {
    await work()
    return meter
  } finally {
    session._send = send
  }
}
