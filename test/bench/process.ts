import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { median } from "./table.ts"

const known = new Set<number>()

/** Miniflare starts one workerd, a child of this process: the one that was not there before. */
export function findWorkerd(): number {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const [, command, rest] = /\((.*)\) (.*)/s.exec(readStat(name)) ?? []
    const isOurs = command === "workerd" && Number(rest?.split(" ")[1]) === process.pid
    if (!isOurs || known.has(Number(name))) continue
    known.add(Number(name))
    return Number(name)
  }
  throw new Error("No workerd runs below this process")
}

function readStat(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch {
    return ""
  }
}

/** The CPU time of all threads of a process so far. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) => runNanoseconds(`/proc/${pid}/task/${thread}/schedstat`))
  return times.reduce((sum, time) => sum + time, 0) / 1_000_000
}

/** 0 for a thread that has just ended. */
function runNanoseconds(file: string): number {
  try {
    return Number(readFileSync(file, "latin1").split(" ")[0])
  } catch {
    return 0
  }
}

export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const SAMPLE_MS = 250

/** How many cores of the machine are busy, whoever uses them. Answers with a function that ends the look. */
export function watchCores(): () => number {
  const samples = [coreTimes()]
  const timer = setInterval(() => samples.push(coreTimes()), SAMPLE_MS)
  return () => {
    clearInterval(timer)
    const shares = samples.flatMap(({ busy, all }, index) => {
      const before = samples[index - 1]
      return before ? (busy - before.busy) / (all - before.all) : []
    })
    return median(shares) * availableParallelism()
  }
}

/** In ticks of the clock, over all cores. */
function coreTimes(): { busy: number; all: number } {
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n")
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system
  return { busy, all: busy + idle + waiting }
}
