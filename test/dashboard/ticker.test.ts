import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createTicker } from "../../src/dashboard/api/ticker.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const isHidden = () => false

it("runs 5,000 changes of a minute in under twenty rounds, and once after the last", async () => {
  const seen: number[] = []
  let changes = 0
  const ticker = createTicker(async () => void seen.push(changes), { isHidden })
  for (; changes < 5_000; changes++) {
    ticker.ask()
    await vi.advanceTimersByTimeAsync(12)
  }
  ticker.ask()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(seen.length).toBeLessThan(20)
  expect(seen.at(-1)).toBe(5_000)
})

it("runs a single change within a second, also after a busy time", async () => {
  const run = vi.fn(async () => {})
  const ticker = createTicker(run, { isHidden })
  for (let times = 0; times < 200; times++) {
    ticker.ask()
    await vi.advanceTimersByTimeAsync(100)
  }
  await vi.advanceTimersByTimeAsync(10_000)
  run.mockClear()
  ticker.ask()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(run).toHaveBeenCalledOnce()
})

it("runs one round at a time", async () => {
  let running = 0
  let most = 0
  const ticker = createTicker(
    async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      running--
    },
    { isHidden },
  )
  for (let times = 0; times < 100; times++) {
    ticker.ask()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(most).toBe(1)
})

it("rests while the page is hidden, and runs when it is shown", async () => {
  let hidden = true
  const run = vi.fn(async () => {})
  const ticker = createTicker(run, { isHidden: () => hidden })
  ticker.ask()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(run).not.toHaveBeenCalled()
  hidden = false
  ticker.ask()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(run).toHaveBeenCalledOnce()
})

it("backs off while it fails, and tells when it fails and when it works again", async () => {
  const at: number[] = []
  const told: boolean[] = []
  let isDown = true
  const begin = Date.now()
  const ticker = createTicker(
    async () => {
      at.push(Math.round((Date.now() - begin) / 1000))
      if (isDown) throw new Error("down")
    },
    { isHidden, onFailing: (isFailing) => void told.push(isFailing) },
  )
  ticker.ask()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(at).toEqual([0, 2, 6, 14, 30, 60, 90])
  isDown = false
  await vi.advanceTimersByTimeAsync(30_000)
  expect(told).toEqual([true, false])
})
