import { vi } from "vitest"

/**
 * Asks again until the assertions hold. Queues take their time on a busy machine: a test that waits for
 * what they do never says how long.
 */
export const eventually = <T>(assertions: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertions, { timeout: 60_000, interval: 50 })
