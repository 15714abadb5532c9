import { type SQL, sql } from "drizzle-orm"
import { insertInto } from "../db/columns.ts"
import { suppressions } from "./table.ts"

type Values = Parameters<typeof insertInto<typeof suppressions>>[1]

/** Lists addresses; the first entry of an address wins. `from` ends in a condition. */
export const insertSuppressions = (values: Values, from: SQL) =>
  insertInto(suppressions, values, sql`${from} on conflict do nothing`)
