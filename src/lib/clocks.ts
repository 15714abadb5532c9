/** The largest difference between the clocks of two machines. */
export const CLOCKS_APART_MS = 1_000
