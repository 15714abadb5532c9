import { type SQL, sql } from "drizzle-orm"
import { ID_ALPHABET, ID_PREFIXES, type IdKind } from "../../../lib/id.ts"

const BITS_OF_A_SIGN = 5
const SIGNS_OF_TIME = 10

/** The same as `firstIdAt`, in SQL: for a time that the statement itself reads. */
export function firstIdIn(kind: IdKind, time: SQL): SQL<string> {
  const signs = Array.from({ length: SIGNS_OF_TIME }, (_, index) => {
    const shift = sql.raw(String(BITS_OF_A_SIGN * (SIGNS_OF_TIME - 1 - index)))
    return sql`substr('${sql.raw(ID_ALPHABET)}', 1 + ((${time} >> ${shift}) & 31), 1)`
  })
  return sql`'${sql.raw(ID_PREFIXES[kind])}_' || ${sql.join(signs, sql` || `)}`
}
