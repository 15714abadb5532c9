import { expect } from "vitest"
import { cpuOf } from "./cpu.ts"

const TRIES = 10
const MAX_RATIO = 3

/** 25 MiB of small JSON objects. */
const REFERENCE = `[${Array(1_600_000).fill('{"name":"value"}').join()}]`

export const expectCheap = (run: () => unknown): Promise<void> => expectCheapTime(() => cpuOf(run))

/**
 * Compares the time with that of a reference load in the same run, so that the bound holds on every
 * machine. Other programs may disturb a try, so one of a few has to pass. `besides` is
 * work that the reference load does, too.
 */
export async function expectCheapTime(
  measure: () => Promise<number>,
  besides: () => unknown = () => {},
): Promise<void> {
  let ratio = Infinity
  for (let attempt = 0; attempt < TRIES && ratio >= MAX_RATIO; attempt++) {
    const time = await measure()
    const reference = await cpuOf(() => [JSON.parse(REFERENCE), besides()])
    ratio = Math.min(ratio, time / reference)
  }
  expect(ratio).toBeLessThan(MAX_RATIO)
}
