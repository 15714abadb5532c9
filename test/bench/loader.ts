import { fork } from "node:child_process"
import { once } from "node:events"
import type { Load, Times } from "./load.ts"
import { cpuMs } from "./process.ts"

export type Run = Times & { cpuMs: number }
export type Loader = ReturnType<typeof createLoader>

/** The process that makes the load. `cpuMs` is what workerd took meanwhile. */
export function createLoader(workerd: number) {
  const child = fork(new URL("load.ts", import.meta.url))

  /** Until the queues have nothing left to do. */
  async function untilIdle() {
    for (let tries = 0; tries < 200; tries++) {
      const before = cpuMs(workerd)
      await new Promise((resolve) => setTimeout(resolve, 300))
      if (cpuMs(workerd) - before < 30) return
    }
  }

  return {
    async run(load: Load): Promise<Run> {
      await untilIdle()
      const before = cpuMs(workerd)
      child.send(load)
      const [{ times, error }] = (await once(child, "message")) as [
        { times: Times; error?: string },
      ]
      if (error) throw new Error(error)
      if (load.settles) await untilIdle()
      return { ...times, cpuMs: cpuMs(workerd) - before }
    },
    close: () => child.kill(),
  }
}
