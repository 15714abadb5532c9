import { type SQL, sql } from "drizzle-orm"

/**
 * A table of up to `share` values that `pieces` selects as `piece`. The query may name the columns
 * of tables on the left: each of their rows gets a share of its own.
 */
export const shareOf = (pieces: SQL, share: number): SQL =>
  sql`json_each((select json_group_array(piece) from (${pieces} limit ${share})))`
