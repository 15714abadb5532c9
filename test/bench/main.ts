import { fork } from "node:child_process"
import { once } from "node:events"
import { parseArgs } from "node:util"
import type { Load, Times } from "./load.ts"
import { operations } from "./operations.ts"
import { cpuMs, startPlatform } from "./platform.ts"
import { startProfile } from "./profile.ts"
import { median, printTable } from "./table.ts"

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    connections: { type: "string", default: "8" },
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    port: { type: "string", default: "9150" },
    profile: { type: "string" },
    /** `memory` or `simulated`: who counts the calls for the rate limits. */
    limits: { type: "string", default: "memory" },
  },
})

const [edgepost, bare, recorder, inspector] = [0, 1, 2, 3].map(
  (offset) => Number(flags.port) + offset,
) as [number, number, number, number]
const platform = await startPlatform(
  { edgepost, bare, recorder, inspector: flags.profile ? inspector : 0 },
  { minify: flags.profile === undefined, limits: flags.limits },
)
const loader = fork(new URL("load.ts", import.meta.url))

async function run(load: Load): Promise<Times & { cpuMs: number }> {
  const before = cpuMs(platform.workerd)
  loader.send(load)
  const [{ times, error }] = (await once(loader, "message")) as [{ times: Times; error?: string }]
  if (error) throw new Error(error)
  return { ...times, cpuMs: cpuMs(platform.workerd) - before }
}

/** Until the queues have nothing left to do. */
async function untilIdle() {
  for (let tries = 0; tries < 200; tries++) {
    const before = cpuMs(platform.workerd)
    await new Promise((resolve) => setTimeout(resolve, 300))
    if (cpuMs(platform.workerd) - before < 30) return
  }
}

try {
  const all = await operations(platform)
  const only = flags.only.split(",").filter(Boolean)
  const chosen = all.filter(
    ({ name, compares }) =>
      only.length === 0 ||
      only.some((part) => name.includes(part)) ||
      all.some(
        (other) =>
          compares === undefined &&
          other.compares === name &&
          only.some((part) => other.name.includes(part)),
      ),
  )
  for (const { port, call, status } of chosen) {
    await run({ port, call, status, connections: 1, seconds: 0.5 })
  }
  if (flags.profile) {
    const [operation] = chosen.filter(({ name }) => name.includes(flags.profile as string))
    if (!operation) throw new Error(`No operation is called ${flags.profile}`)
    const stop = await startProfile(inspector)
    await run({ ...operation, connections: 8, seconds: 8 })
    console.log(`Wrote ${await stop(flags.profile)}`)
  } else {
    for (const connections of flags.connections.split(",").map(Number)) {
      const figures = new Map(
        chosen.map(({ name }) => [name, [] as Awaited<ReturnType<typeof run>>[]]),
      )
      for (let round = 0; round < Number(flags.rounds); round++) {
        for (const { name, port, call, status } of chosen) {
          await untilIdle()
          figures
            .get(name)
            ?.push(await run({ port, call, status, connections, seconds: Number(flags.seconds) }))
        }
      }
      const perSecond = (name: string) =>
        (figures.get(name) ?? []).map(({ calls, seconds }) => calls / seconds)
      console.log(`\n${connections} connections`)
      printTable(
        ["operation", "a second", "p50 ms", "p99 ms", "CPU ms a call", "ratio", "by CPU", "to"],
        chosen.map(({ name, items = 1, compares }) => {
          const runs = figures.get(name) ?? []
          const cpu = (of: string) => (figures.get(of) ?? []).map((one) => one.cpuMs / one.calls)
          const cpuRatios = cpu(name).map(
            (ms, round) => (items * (cpu(compares ?? "")[round] ?? Number.NaN)) / ms,
          )
          const rates = perSecond(name).map((rate) => rate * items)
          const others = compares ? perSecond(compares) : []
          const ratios = rates.map((rate, round) => rate / (others[round] ?? Number.NaN))
          return [
            name,
            median(rates).toFixed(0),
            median(runs.map(({ p50 }) => p50)).toFixed(1),
            median(runs.map(({ p99 }) => p99)).toFixed(1),
            median(cpu(name)).toFixed(2),
            compares ? median(ratios).toFixed(2) : "",
            compares ? median(cpuRatios).toFixed(2) : "",
            compares ?? "",
          ]
        }),
      )
    }
  }
} finally {
  loader.kill()
  await platform.dispose()
}
