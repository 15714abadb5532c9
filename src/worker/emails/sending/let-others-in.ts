const PAUSE_MS = 100

/**
 * Lets the database serve others between two parts of a long work. A local server reads requests
 * only while a timer runs.
 */
export const letOthersIn = () => scheduler.wait(PAUSE_MS)
