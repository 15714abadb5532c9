import { env } from "cloudflare:workers"

const CALLS = ["run", "all", "raw", "first"] as const

/** A database. Before the first statement that the pattern fits, something else happens. */
export function interruptedDb(
  pattern: RegExp,
  interrupt: () => Promise<unknown>,
  db: D1Database = env.DB,
): D1Database {
  const texts = new WeakMap<object, string>()
  let isOver = false
  async function before(text = "") {
    if (isOver || !pattern.test(text)) return
    isOver = true
    await interrupt()
  }

  function watch(statement: D1PreparedStatement, text: string): D1PreparedStatement {
    texts.set(statement, text)
    const bind = statement.bind.bind(statement)
    const calls = CALLS.map((name) => {
      const call = statement[name].bind(statement) as (...args: unknown[]) => Promise<unknown>
      const late = async (...args: unknown[]) => {
        await before(text)
        return call(...args)
      }
      return [name, late]
    })
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => watch(bind(...values), text),
    })
  }

  return {
    prepare: (text: string) => watch(db.prepare(text), text),
    batch: async (statements: D1PreparedStatement[]) => {
      for (const statement of statements) await before(texts.get(statement))
      return db.batch(statements)
    },
  } as D1Database
}
