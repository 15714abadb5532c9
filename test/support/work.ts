import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Work } from "../../src/worker/platform/context.ts"
import { DIRECTORY, workIn } from "../../src/worker/platform/db/databases.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { createWork } from "../../src/worker/platform/work.ts"

/** What queue and cron work with; `clock` moves its time, `settings` change its environment. */
export function testWork({ clock, settings }: { clock?: Clock; settings?: Partial<Env> } = {}) {
  const execution = createExecutionContext()
  const work: Work = createWork(settings ? { ...env, ...settings } : env, execution)
  return {
    work: clock ? { ...work, now: clock.now } : work,
    settled: () => waitOnExecutionContext(execution),
  }
}

/** The same for the work of the installation: people, sign-in, invitations. */
export const directoryWork = (options: Parameters<typeof testWork>[0] = {}): Work =>
  workIn(testWork(options).work, DIRECTORY)

export interface Clock {
  now(): number
  advance(ms: number): void
}

export function makeClock(start = Date.now()): Clock {
  let time = start
  return {
    now: () => time,
    advance: (ms) => {
      time += ms
    },
  }
}
