import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Ctx, Work } from "../env.ts"
import type { Caller } from "../keys/caller.ts"

interface Credential<Row> {
  /** Reads the key or the session. */
  read: PromiseLike<Row[]>
  /** Throws if the caller may not call. */
  check(rows: Row[]): Caller | Promise<Caller>
  team: SQL
  callerRow: SQL
}

/**
 * The context of a call. A separate query for the caller would cost a round trip. So the first
 * batch starts with the check of the credential, and its queries name the team by a subselect.
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
