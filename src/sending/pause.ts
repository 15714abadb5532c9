const PAUSE_MS = 100

/**
 * Between two parts of a long work, the database serves others. Locally, a request is only read
 * while a timer runs.
 */
export const pause = () => scheduler.wait(PAUSE_MS)
