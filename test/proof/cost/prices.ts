import prices from "./prices.json" with { type: "json" }

/** What one operation takes of everything that Cloudflare bills by the piece. */
export interface Cost {
  /** Cloudflare bills requests, batches of messages and the minute alike. */
  requests: number
  roundTrips: number
  rowsRead: number
  rowsWritten: number
  queueOperations: number
  objectCalls: number
  r2Writes: number
  r2Reads: number
  cpuMs: number
}

type Priced = keyof typeof prices.dollarsAMillion

const PRICED = Object.keys(prices.dollarsAMillion) as Priced[]

export const PRICES = prices

/** Of a million operations that cost this each. */
export const dollarsAMillion = (cost: Cost) =>
  PRICED.reduce((sum, name) => sum + cost[name] * prices.dollarsAMillion[name], 0)

/** What something costs that is made of these operations, each so often. */
export function total(parts: readonly (readonly [cost: Cost, times: number])[]): Cost {
  const [first, ...others] = parts.map(([cost, times]) => scaled(cost, times))
  return others.reduce(plus, first as Cost)
}

const mapped = (cost: Cost, change: (value: number, name: keyof Cost) => number) =>
  Object.fromEntries(
    Object.entries(cost).map(([name, value]) => [name, change(value, name as keyof Cost)]),
  ) as unknown as Cost

const scaled = (cost: Cost, times: number) => mapped(cost, (value) => value * times)
const plus = (one: Cost, other: Cost) => mapped(one, (value, name) => value + other[name])
