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
 * A table of the first values, at most `limit`, for each row of the tables on its left. `values`
 * selects them as `value`.
 */
export const limitedPerOwner = (values: SQL, limit: number | SQL): SQL =>
  sql`json_each((select json_group_array(value) from (${values} limit +${limit})))`
