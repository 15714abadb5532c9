const CALLS = ["run", "all", "raw", "first"] as const

/** Runs for each call of a database: `sql` is its text, and `call` makes it. */
export type Around = (sql: string, call: () => Promise<unknown>) => Promise<unknown>

/** The same database, where `around` makes each call. */
export function watchedDb(db: D1Database, around: Around): D1Database {
  const texts = new WeakMap<D1PreparedStatement, string>()
  function watch(statement: D1PreparedStatement, text: string): D1PreparedStatement {
    const bind = statement.bind.bind(statement)
    const calls = CALLS.map((name) => {
      const call = statement[name].bind(statement) as (...args: unknown[]) => Promise<unknown>
      return [name, (...args: unknown[]) => around(text, () => call(...args))]
    })
    texts.set(statement, text)
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => watch(bind(...values), text),
    })
  }
  return {
    prepare: (text: string) => watch(db.prepare(text), text),
    batch: (statements: D1PreparedStatement[]) =>
      around(statements.map((one) => texts.get(one)).join("; "), () => db.batch(statements)),
  } as D1Database
}
