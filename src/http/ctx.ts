import { type SQL, sql } from "drizzle-orm"
import type { Query } from "../db/client.ts"
import type { Scope } from "../db/fixed.ts"
import type { Ctx, Work } from "../env.ts"
import type { Caller } from "../keys/caller.ts"

interface Credential<Row> {
  /** Reads the key or the session. */
  read: Query & { _: { result: Row[] } }
  /** Throws if the caller may not call. */
  check(rows: Row[]): Caller | Promise<Caller>
  team: SQL
  scope: Scope
}

/**
 * The context of a call. A separate query for the caller would cost a round trip. So the first
 * batch starts with the check of the credential, and its queries name the team by a subselect.
 */
export function openCtx<Row>(work: Work, { read, check, team, scope }: Credential<Row>): Ctx {
  let known: Caller | undefined
  return {
    ...work,
    get team() {
      return known ? sql<string>`${known.team.id}` : sql<string>`(${team})`
    },
    scope,
    async caller() {
      if (known) return known
      const [rows] = await work.db.batch([read])
      known = await check(rows as Row[])
      return known
    },
    async batch(queries) {
      if (known) return work.db.batch(queries)
      const [rows, ...results] = await work.db.batch([read, ...queries])
      known = await check(rows as Row[])
      return results as never
    },
  }
}
