import { env } from "cloudflare:workers"

type Times = Record<string, number>

const read = async (): Promise<Times> => (await env.CPU_TIMES.fetch("http://cpu/")).json()

const SPIN_MS = 60

function spin(): void {
  const end = performance.now() + SPIN_MS
  while (performance.now() < end);
}

const between = (start: Times, end: Times, pid: string) => (end[pid] ?? 0) - (start[pid] ?? 0)

/** The process that works while this test does, and rests while it rests. */
async function findProcess(): Promise<string | undefined> {
  const scores = new Map<string, number>()
  for (let round = 0; round < 5; round++) {
    const start = await read()
    spin()
    const middle = await read()
    await new Promise((resolve) => setTimeout(resolve, SPIN_MS))
    const end = await read()
    for (const pid of Object.keys(start)) {
      const score = between(start, middle, pid) - between(middle, end, pid)
      scores.set(pid, (scores.get(pid) ?? 0) + score)
    }
  }
  return [...scores].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

let found: Promise<string | undefined> | undefined

/**
 * The CPU time that the work takes in this test's workerd, which D1 shares, in ms. Time that other
 * programs take does not count. Where the system does not tell it, the time by the clock.
 */
export async function cpuOf(work: () => unknown): Promise<number> {
  found ??= findProcess()
  const pid = await found
  const startedAt = performance.now()
  const start = pid ? await read() : {}
  await work()
  const cpuMs = pid ? between(start, await read(), pid) : 0
  const clockMs = performance.now() - startedAt
  // With several processes at work, another one may have been taken for this test's.
  return cpuMs > clockMs / 5 ? Math.min(cpuMs, clockMs) : clockMs
}

/** The same of all workerds of the run, for a run that has no other tests. */
export async function cpuOfAll(work: () => unknown): Promise<number> {
  const start = await read()
  await work()
  const end = await read()
  return Object.keys(end).reduce((sum, pid) => sum + between(start, end, pid), 0)
}
