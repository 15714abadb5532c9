import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Env } from "../../src/worker/platform/env.ts"
import { expectCheapTime } from "./cost.ts"
import { cpuOf } from "./cpu.ts"
import { fakeQueue } from "./queue.ts"

export type Run = (env: Env, execution: ExecutionContext) => Promise<unknown>

/** `besides` as for `expectCheapTime`. */
export const expectOwnCheap = (run: Run, besides?: () => unknown): Promise<void> =>
  expectCheapTime(() => ownCpuOf(run), besides)

/**
 * The CPU time of the Worker alone, in ms. On Cloudflare the database and the bucket run elsewhere,
 * but here they share the Worker's process. So the run is done twice: first with a real database,
 * then with the recorded answers of that database. Only the second run is measured.
 */
async function ownCpuOf(run: Run): Promise<number> {
  const tape = new Map<string, string[]>()
  await settled(run, withBindings(recordDatabase(tape)))
  return cpuOf(() => settled(run, withBindings(playDatabase(tape))))
}

export async function settled(run: Run, env: Env): Promise<void> {
  const execution = createExecutionContext()
  await run(env, execution)
  await waitOnExecutionContext(execution)
}

const withBindings = (DB: D1Database): Env => {
  const { queue } = fakeQueue()
  const queues = { SENDS: queue, SENDS_BACKLOG: queue, SENDS_BULK: queue, OUTCOMES: queue }
  return { ...env, ...queues, DELIVERIES: queue, CAMPAIGNS: queue, DB, CONTENT }
}

/** Takes what is written, as the binding does, and keeps nothing. */
const CONTENT = {
  put: async (_key: string, value: ReadableStream | ArrayBufferView) => {
    if (value instanceof ReadableStream) await new Response(value).arrayBuffer()
  },
  delete: async () => {},
} as unknown as R2Bucket

interface Statement {
  sql: string
  params: unknown[]
}
type Answer = (method: string, statements: readonly Statement[]) => Promise<unknown>

/** Statements and results pass as JSON text, as they do in D1's binding. */
function database(answer: Answer): D1Database {
  const prepare = (sql: string, params: unknown[] = []) => ({
    ...{ sql, params },
    bind: (...bound: unknown[]) => prepare(sql, bound),
    all: () => answer("all", [{ sql, params }]),
    run: () => answer("run", [{ sql, params }]),
    raw: () => answer("raw", [{ sql, params }]),
  })
  const batch = (statements: Statement[]) => answer("batch", statements)
  return { prepare, batch } as unknown as D1Database
}

/** A statement may have the time as a literal. */
const keyOf = (method: string, statements: readonly Statement[]) =>
  [method, ...statements.map(({ sql }) => sql.replace(/\b\d{13}\b/g, "?"))].join("\n")

export const recordDatabase = (tape: Map<string, string[]>): D1Database =>
  database(async (method, statements) => {
    const bound = statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params))
    const [first] = bound
    const result =
      method === "batch"
        ? await env.DB.batch(bound)
        : await first?.[method as "all" | "run" | "raw"]()
    const key = keyOf(method, statements)
    tape.set(key, [...(tape.get(key) ?? []), JSON.stringify(result)])
    return result
  })

export function playDatabase(tape: Map<string, string[]>): D1Database {
  const played = new Map<string, number>()
  return database(async (method, statements) => {
    const key = keyOf(method, statements)
    const at = played.get(key) ?? 0
    played.set(key, at + 1)
    const text = tape.get(key)?.[at]
    if (text === undefined) throw new Error(`Not asked before: ${key}`)
    JSON.stringify(statements)
    return JSON.parse(text)
  })
}
