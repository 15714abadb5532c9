import { type SQL, sql } from "drizzle-orm"

/**
 * A table of up to `share` values, selected by `pieces` as `piece`, for each row of the tables on
 * its left.
 */
export const shareOf = (pieces: SQL, share: number | SQL): SQL =>
  sql`json_each((select json_group_array(piece) from (${pieces} limit ${share})))`
