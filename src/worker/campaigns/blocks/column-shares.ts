/** The width of each column, as a share of the row. */
export const COLUMN_SHARES = {
  "1-1": [1 / 2, 1 / 2],
  "1-1-1": [1 / 3, 1 / 3, 1 / 3],
  "2-1": [2 / 3, 1 / 3],
  "1-2": [1 / 3, 2 / 3],
} as const
