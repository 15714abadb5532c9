import { env } from "cloudflare:workers"
import { watchedDb } from "./watched-db.ts"

/** A database. Before the first call that the pattern fits, something else happens. */
export function interruptedDb(
  pattern: RegExp,
  interrupt: () => Promise<unknown>,
  db: D1Database = env.DB,
): D1Database {
  let isOver = false
  return watchedDb(db, async (sql, call) => {
    if (!isOver && pattern.test(sql)) {
      isOver = true
      await interrupt()
    }
    return call()
  })
}
