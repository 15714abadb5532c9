/** What D1 allows a database. */
export const MAX_DATABASE_BYTES = 10_000_000_000
