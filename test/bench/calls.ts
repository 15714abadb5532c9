import type { Loader, Run } from "./loader.ts"
import type { Operation } from "./operations.ts"
import { median, printTable } from "./table.ts"

interface Plan {
  only: readonly string[]
  connections: readonly number[]
  seconds: number
  rounds: number
}

const HEAD = ["operation", "a second", "p50 ms", "p99 ms", "CPU ms a call", "ratio", "by CPU", "to"]

/** The operations take turns, so that each ratio is of the same moments. */
export async function measureCalls(all: readonly Operation[], loader: Loader, plan: Plan) {
  const chosen = choose(all, plan.only)
  for (const operation of chosen) await loader.run({ ...operation, connections: 1, seconds: 0.5 })
  for (const connections of plan.connections) {
    const runs = new Map<string, Run[]>(chosen.map(({ name }) => [name, []]))
    for (let round = 0; round < plan.rounds; round++) {
      for (const operation of chosen) {
        const run = await loader.run({ ...operation, connections, seconds: plan.seconds })
        runs.get(operation.name)?.push(run)
      }
    }
    console.log(`\n${connections} connections, medians of ${plan.rounds} rounds`)
    printTable(
      HEAD,
      chosen.map((operation) => toLine(operation, runs)),
    )
  }
}

/** The operations with these names, and what they are compared with. */
function choose(all: readonly Operation[], only: readonly string[]) {
  const named = all.filter(({ name }) => only.some((part) => name.includes(part)))
  const others = new Set(named.map(({ compares }) => compares))
  return only.length === 0 ? all : all.filter((one) => named.includes(one) || others.has(one.name))
}

function toLine({ name, items = 1, compares = "" }: Operation, all: Map<string, Run[]>) {
  const runs = all.get(name) ?? []
  const others = all.get(compares) ?? []
  const ratio = (rate: (run: Run) => number) =>
    compares &&
    median(runs.map((run, round) => (items * rate(run)) / rate(others[round] as Run))).toFixed(2)
  return [
    name,
    (items * median(runs.map(perSecond))).toFixed(0),
    median(runs.map(({ p50 }) => p50)).toFixed(1),
    median(runs.map(({ p99 }) => p99)).toFixed(1),
    median(runs.map(({ cpuMs, calls }) => cpuMs / calls)).toFixed(2),
    ratio(perSecond),
    ratio(({ cpuMs, calls }) => calls / cpuMs),
    compares,
  ]
}

const perSecond = ({ calls, seconds }: Run) => calls / seconds
