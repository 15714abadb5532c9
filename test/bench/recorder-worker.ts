// @ts-expect-error: the built Worker, beside this module when the bench runs
import service from "./index.js"

/** Answers with the statements that a call gives to the database. */
export default {
  async fetch(request: Request, env: { DB: D1Database }, execution: ExecutionContext) {
    const batches: { sql: string; values: unknown[] }[][] = []
    const record = (
      statement: D1PreparedStatement & { statement?: string; params?: unknown[] },
    ) => ({
      sql: statement.statement ?? "",
      values: statement.params ?? [],
    })
    const DB = new Proxy(env.DB, {
      get(db, name) {
        if (name !== "batch") return Reflect.get(db, name).bind(db)
        return (statements: D1PreparedStatement[]) => {
          batches.push(statements.map(record))
          return db.batch(statements)
        }
      },
    })
    const reply = await service.fetch(request, { ...env, DB }, execution)
    return Response.json({ status: reply.status, batches })
  },
}
