/** The clocks of two machines are no further apart. */
export const CLOCKS_APART_MS = 1_000
