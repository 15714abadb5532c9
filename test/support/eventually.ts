import { vi } from "vitest"

/** Asks again until the assertions hold: queues take their time on a busy machine. */
export const eventually = (assertions: () => unknown) =>
  vi.waitFor(assertions, { timeout: 15_000, interval: 50 })
