const GATHER_MS = 200
const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 4_000
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000

interface Ticker {
  /** There is something to run for. */
  ask(): void
}

interface Options {
  isHidden: () => boolean
  /** Called with true after a failed run, and with false after the next good one. */
  onFailing?: (isFailing: boolean) => void
}

/**
 * Runs `run` after it was asked for: one run at a time, at most one a second, one in four seconds
 * while the asking goes on, and none while the page is hidden. A failed run is repeated, with waits
 * that double up to half a minute.
 */
export function createTicker(
  run: () => Promise<void>,
  { isHidden, onFailing = () => {} }: Options,
): Ticker {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isAsked = false
  let isRunning = false
  let pauseMs = PAUSE_MS
  let retryMs = 0
  let endedAt = Number.NEGATIVE_INFINITY

  function schedule() {
    if (timer || isRunning || !isAsked || isHidden()) return
    const waitMs = retryMs || Math.max(GATHER_MS, endedAt + pauseMs - Date.now())
    timer = setTimeout(tick, waitMs)
  }

  async function tick() {
    timer = undefined
    if (isHidden()) return
    const isBusy = Date.now() - endedAt <= pauseMs + GATHER_MS
    pauseMs = isBusy ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : PAUSE_MS
    isAsked = false
    isRunning = true
    try {
      await run()
      if (retryMs > 0) onFailing(false)
      retryMs = 0
    } catch {
      if (retryMs === 0) onFailing(true)
      retryMs = Math.min(Math.max(2 * retryMs, RETRY_MS), LONGEST_RETRY_MS)
      isAsked = true
    }
    isRunning = false
    endedAt = Date.now()
    schedule()
  }

  return {
    ask() {
      isAsked = true
      schedule()
    },
  }
}
