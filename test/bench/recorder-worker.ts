// @ts-expect-error: the built Worker, beside this module when the bench runs
import service from "./index.js"

/** Answers with the statements that a call gives to the database, and the rows that they read. */
export default {
  async fetch(request: Request, env: { DB: D1Database }, execution: ExecutionContext) {
    const batches: { sql: string; values: unknown[] }[][] = []
    let rowsRead = 0
    const record = (
      statement: D1PreparedStatement & { statement?: string; params?: unknown[] },
    ) => ({
      sql: statement.statement ?? "",
      values: statement.params ?? [],
    })
    const DB = new Proxy(env.DB, {
      get(db, name) {
        if (name !== "batch") return Reflect.get(db, name).bind(db)
        return async (statements: D1PreparedStatement[]) => {
          batches.push(statements.map(record))
          const results = await db.batch(statements)
          for (const { meta } of results) rowsRead += meta.rows_read
          return results
        }
      },
    })
    const reply = await service.fetch(request, { ...env, DB }, execution)
    return Response.json({ status: reply.status, batches, rowsRead })
  },
}
