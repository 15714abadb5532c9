import { type SQL, sql } from "drizzle-orm"

/**
 * A recursive table expression: `name (id)` has all ids after `from`, and a null at the end. `next`
 * selects the first id after another one: one step in an index, however many rows have the id.
 */
export const distinctIds = (
  name: string,
  next: (after: SQL) => SQL,
  { from = sql`''`, limit = -1 } = {},
) => {
  const [table, id] = [sql.raw(name), sql.raw(`${name}.id`)]
  return sql`${table} (id) as (
    select ${next(from)}
    union all
    select ${next(id)} from ${table} where ${id} is not null limit ${sql.raw(String(limit))})`
}

/**
 * A table of up to `share` values, selected by `pieces` as `piece`, for each row of the tables on
 * its left.
 */
export const shareOf = (pieces: SQL, share: number | SQL): SQL =>
  sql`json_each((select json_group_array(piece) from (${pieces} limit ${share})))`
