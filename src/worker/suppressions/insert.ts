import { type SQL, sql } from "drizzle-orm"
import { insertInto, type ValuesOf } from "../platform/db/columns.ts"
import { suppressions } from "./table.ts"

/** Lists addresses; the first entry of an address wins. `from` ends in a condition. */
export const insertSuppressions = (values: ValuesOf<typeof suppressions>, from: SQL) =>
  insertInto(suppressions, values, sql`${from} on conflict do nothing`)
