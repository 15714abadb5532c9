import { env } from "cloudflare:workers"

const CALLS = ["run", "all", "raw", "first"] as const

/** The database. Before the first statement that the pattern fits, something else happens. */
export function interruptedDb(pattern: RegExp, interrupt: () => Promise<unknown>): D1Database {
  const texts = new WeakMap<object, string>()
  let isOver = false
  async function before(text = "") {
    if (isOver || !pattern.test(text)) return
    isOver = true
    await interrupt()
  }

  function watch(statement: D1PreparedStatement, text: string): D1PreparedStatement {
    texts.set(statement, text)
    const own = Object.getPrototypeOf(statement)
    const calls = CALLS.map((name) => [
      name,
      async (...args: unknown[]) => {
        await before(text)
        return own[name].apply(statement, args)
      },
    ])
    return Object.assign(statement, {
      ...Object.fromEntries(calls),
      bind: (...values: unknown[]) => watch(own.bind.apply(statement, values), text),
    })
  }

  return {
    prepare: (text: string) => watch(env.DB.prepare(text), text),
    batch: async (statements: D1PreparedStatement[]) => {
      for (const statement of statements) await before(texts.get(statement))
      return env.DB.batch(statements)
    },
  } as D1Database
}
