import { sql } from "drizzle-orm"
import type { Work } from "../../platform/context.ts"
import { createDb } from "../../platform/db/client.ts"
import { isTeamMoving } from "../../platform/http/errors.ts"
import { teamFences } from "./table.ts"

/** Selects the teams of this database that nobody writes for now. Nearly always there are none. */
export const CLOSED_TEAMS = sql`select ${teamFences.teamId} from ${teamFences}
  where ${teamFences.mode} = 'closed'`

const clients = new WeakMap<D1Database, D1Database>()

/** The same, also within a batch that leaves them out. */
export const FENCED_TEAMS = sql`select ${teamFences.teamId} from ${teamFences}
  where ${teamFences.mode} in ('closed', 'skip')`

/**
 * The same work for statements about many teams, such as claims and sweeps: where a fence refuses
 * one, it is repeated without the rows of the fenced team. Whoever sweeps next finds them.
 */
export const leavingOutFenced = (work: Work): Work => {
  const client = work.db.$client as D1Database
  const known = clients.get(client) ?? repeatWithoutFenced(client)
  clients.set(client, known)
  return { ...work, db: createDb(known) }
}

const CALLS = ["run", "all", "raw", "first"] as const

function repeatWithoutFenced(d1: D1Database): D1Database {
  async function withoutFenced(statements: D1PreparedStatement[]): Promise<D1Result[]> {
    const results = await d1.batch([
      d1.prepare("update team_fences set mode = 'skip' where mode = 'closed'"),
      ...statements,
      d1.prepare("update team_fences set mode = 'closed' where mode = 'skip'"),
    ])
    return results.slice(1, -1)
  }

  function watch(statement: D1PreparedStatement): D1PreparedStatement {
    const bind = statement.bind.bind(statement)
    const repeat = async (name: (typeof CALLS)[number]) => {
      const [result] = (await withoutFenced([statement])) as D1Result<Record<string, unknown>>[]
      if (name === "run" || name === "all") return result
      const rows = result?.results ?? []
      return name === "raw" ? rows.map(Object.values) : (rows[0] ?? null)
    }
    const calls = CALLS.filter((name) => name in statement).map((name) => {
      const call = statement[name].bind(statement) as (...args: unknown[]) => Promise<unknown>
      const attempt = (...args: unknown[]) =>
        call(...args).catch((error: unknown) => {
          if (!isTeamMoving(error)) throw error
          return repeat(name)
        })
      return [name, attempt]
    })
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => watch(bind(...values)),
    })
  }

  return {
    prepare: (text: string) => watch(d1.prepare(text)),
    batch: (statements: D1PreparedStatement[]) =>
      d1.batch(statements).catch((error: unknown) => {
        if (!isTeamMoving(error)) throw error
        return withoutFenced(statements)
      }),
  } as D1Database
}
