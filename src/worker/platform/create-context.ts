import { type SQL, sql } from "drizzle-orm"
import type { Audited, Caller, Ctx, Scope, Work } from "./context.ts"
import type { Query } from "./db/client.ts"

interface Credential<Row> {
  /** Reads the key or the session. */
  read: Query & { _: { result: Row[] } }
  /** Throws if the caller may not call. */
  check(rows: Row[]): Caller | Promise<Caller>
  /** Selects the team. Most calls never ask, and building a query takes time. */
  team(): SQL
  /** Selects the person. Absent with a key. */
  user?(): SQL
  scope: Scope
}

/**
 * The context of a call. A separate query for the caller would cost a round trip. So the first
 * batch starts with the check of the credential, and its queries name the team by a subselect.
 */
export function createCtx<Row>(
  work: Work,
  { read, check, team, user = () => sql`null`, scope }: Credential<Row>,
  audited?: Audited,
): Ctx {
  let known: Caller | undefined
  async function know(rows: Row[]) {
    known = await check(rows)
    return known
  }
  /** The object of the change is read beside the caller, before the change. */
  async function readCaller(): Promise<Caller> {
    const find = audited?.select(team())
    const [rows, [object] = []] = await work.db.batch(find ? [read, find] : [read])
    if (object) audited?.found(object as never)
    return know(rows as Row[])
  }
  const ctx: Ctx = {
    ...work,
    audited,
    get team() {
      return sql<string>`(${team()})`
    },
    get user() {
      return sql<string>`(${user()})`
    },
    scope,
    async caller() {
      return known ?? readCaller()
    },
    async batch(queries) {
      if (known) return work.db.batch(queries)
      const [rows, ...results] = await work.db.batch([read, ...queries])
      await know(rows as Row[])
      return results as never
    },
    get people() {
      return work.directory === work.db ? ctx : inDirectory(ctx)
    },
  }
  return ctx
}

/** Getters stay getters: the caller may not be known yet. */
function inDirectory(ctx: Ctx): Ctx {
  const { directory } = ctx
  const own: Pick<Ctx, "db" | "batch"> = {
    db: directory,
    batch: (queries) => directory.batch(queries) as never,
  }
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(ctx), ...Object.getOwnPropertyDescriptors(own) },
  ) as Ctx
}
