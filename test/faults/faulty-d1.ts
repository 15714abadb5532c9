import { DIRECTORY } from "../../src/worker/platform/db/databases.ts"
import type { Invocation } from "./invocation.ts"
import type { Journal } from "./journal.ts"

/** The real database, whose every call is one of an invocation and may meet a fault. */
export function faultyD1(
  db: D1Database,
  invocation: Invocation,
  journal: Journal,
  number = DIRECTORY,
): D1Database {
  const name = nameOf(number)
  const innerOf = new WeakMap<
    object,
    { statement: D1PreparedStatement; query: string; values: unknown[] }
  >()

  function wrap(statement: D1PreparedStatement, query: string, values: unknown[]) {
    const run = <T>(work: () => Promise<T>) =>
      invocation.call(`${name} ${gist(query)}`, async (fault) => {
        const faultsBefore = invocation.faults().length
        const result = await work()
        journal.noteStatement({ query, values }, { invocation, fault, faultsBefore })
        return result
      })
    const wrapped = {
      bind: (...bound: unknown[]) => wrap(statement.bind(...bound), query, bound),
      run: () => run(() => statement.run()),
      all: () => run(() => statement.all()),
      raw: (options?: { columnNames?: false }) => run(() => statement.raw(options)),
      first: (column?: string) => run(() => (column ? statement.first(column) : statement.first())),
    } as unknown as D1PreparedStatement
    innerOf.set(wrapped, { statement, query, values })
    return wrapped
  }

  async function batch(statements: D1PreparedStatement[]) {
    const inner = statements.map((one) => innerOf.get(one) ?? unknownStatement())
    const what = inner.map(({ query }) => gist(query)).filter((text) => text !== "select")
    return invocation.call(`${name} batch: ${what.join(", ") || "select"}`, async (fault) => {
      const faultsBefore = invocation.faults().length
      const results = await db.batch([
        ...inner.map(({ statement }) => statement),
        journal.selectNews(db),
      ])
      journal.noteCommit(db, results.pop() as D1Result, invocation)
      for (const one of inner) journal.noteStatement(one, { invocation, fault, faultsBefore })
      return results
    })
  }

  return { prepare: (query: string) => wrap(db.prepare(query), query, []), batch } as D1Database
}

function unknownStatement(): never {
  throw new Error("A statement that this database did not prepare")
}

/** As its calls are called. */
export const nameOf = (number: number) => (number === DIRECTORY ? "D1" : `D1-${number}`)

const gist = (query: string) =>
  /\b(insert into|update|delete from)\s+"?\w+/i.exec(query)?.[0].replaceAll('"', "") ?? "select"
