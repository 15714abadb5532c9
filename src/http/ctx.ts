import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Ctx, Work } from "../env.ts"
import type { Caller } from "../keys/caller.ts"

interface Credential<Row> {
  /** Reads the key or the session; the statements that run with it name the team by `team`. */
  read: PromiseLike<Row[]>
  /** Throws the refusal of whoever may not call. */
  check(rows: Row[]): Caller | Promise<Caller>
  team: SQL
  callerRow: SQL
}

/**
 * The context of a call. Nothing is known of its caller until the database has been asked, and
 * asking alone would cost a round trip: so queries name the team by a subselect, and the first
 * batch carries the check of the credential in front of them.
 */
export function openCtx<Row>(work: Work, { read, check, team, callerRow }: Credential<Row>): Ctx {
  let known: Caller | undefined
  return {
    ...work,
    get team() {
      return known ? sql<string>`${known.team.id}` : sql<string>`(${team})`
    },
    callerRow,
    async caller() {
      known ??= await check(await read)
      return known
    },
    async batch(queries) {
      if (known) return work.db.batch(queries)
      const [rows, ...results] = await work.db.batch([read as unknown as Query, ...queries])
      known = await check(rows as Row[])
      return results as never
    },
  }
}
