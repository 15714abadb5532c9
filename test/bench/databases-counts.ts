import { databaseBinding } from "../../src/operations/installation.ts"
import { createCounting } from "./counting.ts"
import { apiCalls, laterMessage, send } from "./operations.ts"
import type { Platform } from "./platform.ts"
import { type Cost, sendHundred } from "./scale-jobs.ts"

/** What is read also depends on the moment, such as on which outcomes come in one step of time. */
export const COUNTED_TIMES = 5

export type Counts = Map<string, Cost>

/** The same calls in each database, of a team without mail. */
export async function countCalls(platform: Platform): Promise<Counts> {
  const { api } = apiCalls(platform)
  await send(platform.ports.edgepost, api("GET", "/me"))
  const counting = createCounting(platform.ports)
  const costs: Counts = new Map()
  for (let time = 0; time < COUNTED_TIMES; time++) {
    const accepted = await counting.call(api("POST", "/emails", laterMessage()))
    const sent = await sendHundred(counting, platform)
    const listed = await counting.call(api("GET", "/emails"))
    for (const [name, cost] of [
      ["accept one", accepted],
      ["GET /emails", listed],
      ...sent,
    ] as const) {
      const least = costs.get(name)
      if (!least || cost.rowsRead < least.rowsRead) costs.set(name, cost)
    }
  }
  return costs
}

/** Against the counts of the installation with one database. */
export function compareCounts(counts: Map<number, Counts[]>) {
  const [one] = counts.get(1) as [Counts]
  const others = [...counts].flatMap(([count, all]) =>
    count === 1 ? [] : all.map((own, index) => ({ own, binding: databaseBinding(index + 1) })),
  )
  let [differing, elsewhere, mostRead] = [0, 0, 0]
  const rows = [...one].map(([name, cost]) => {
    const costs = others.map(({ own }) => own.get(name) as Cost)
    const read = costs.map(({ rowsRead }) => rowsRead)
    const isSame = costs.every(
      ({ roundTrips, rowsWritten }) =>
        roundTrips === cost.roundTrips && rowsWritten === cost.rowsWritten,
    )
    if (!isSame) differing++
    for (const [index, { byDatabase, roundTrips }] of costs.entries()) {
      elsewhere += roundTrips - (byDatabase[others[index]?.binding ?? ""] ?? 0)
    }
    mostRead = Math.max(mostRead, ...read.map((rows) => rows / cost.rowsRead - 1))
    const range = [...new Set([Math.min(...read), Math.max(...read)])].join(" to ")
    return [
      name,
      cost.roundTrips,
      cost.rowsWritten,
      isSame ? "the same" : "others",
      cost.rowsRead,
      range,
    ]
  })
  return { rows, differing, elsewhere, mostRead }
}
