const WRITES =
  /^\s*(insert|update|delete|replace|with\b[\s\S]*\b(insert into|update|delete from)\b)/i

const writtenTable = (sql: string) =>
  /^\s*(?:insert into|update|delete from) "?(\w+)/i.exec(sql)?.[1] ?? ""

/**
 * A database that follows each writing statement with `note`, in the same batch. The note can
 * read SQLite's `changes()` to leave out a statement that changed nothing. Writes of the tables
 * `except` are not noted.
 */
export function noteWrites(
  d1: D1Database,
  except: readonly string[],
  note: () => D1PreparedStatement,
  afterNote = () => {},
): D1Database {
  const inner = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const batch = async <T>(statements: D1PreparedStatement[]) => {
    const all = statements.flatMap((statement) => {
      const write = inner.get(statement)
      return write ? [write, note()] : [statement]
    })
    const results = await d1.batch<T>(all)
    if (all.length > statements.length) afterNote()
    let at = 0
    return statements.map((statement) => {
      const result = results[at] as D1Result<T>
      at += inner.has(statement) ? 2 : 1
      return result
    })
  }
  const wrap = (write: D1PreparedStatement): D1PreparedStatement => {
    const all = async <T>() => (await batch<T>([wrapped]))[0] as D1Result<T>
    const wrapped = {
      bind: (...values: unknown[]) => wrap(write.bind(...values)),
      all,
      run: all,
      raw: async <T>() =>
        (await all<Record<string, unknown>>()).results.map((row) => Object.values(row) as T),
    } as unknown as D1PreparedStatement
    inner.set(wrapped, write)
    return wrapped
  }
  return new Proxy(d1, {
    get(target, name) {
      if (name === "batch") return batch
      if (name === "prepare") {
        return (sql: string) => {
          const statement = target.prepare(sql)
          const isNoted = WRITES.test(sql) && !except.includes(writtenTable(sql))
          return isNoted ? wrap(statement) : statement
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}
