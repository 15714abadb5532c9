// @ts-expect-error: the built Worker, beside this module when the bench runs
import service, { ProviderRates, TeamStream } from "./index.js"

export { ProviderRates, TeamStream }

type Env = Record<string, unknown> & { DB: D1Database }
interface Message {
  queue: string
  body: unknown
}

/** One invocation after the other: what it asks the databases, and the messages that it would send. */
let calls = newCalls()

function newCalls() {
  const byDatabase: Record<string, number> = {}
  return {
    byDatabase,
    rowsRead: 0,
    rowsWritten: 0,
    batches: [] as unknown[],
    messages: [] as Message[],
  }
}

/** Leans on a private method of D1's binding. */
function countQueries(env: Env) {
  for (const [name, binding] of Object.entries(env)) {
    if (!/^DB(_\d+)?$/.test(name)) continue
    // biome-ignore lint/suspicious/noExplicitAny: the binding's inner session is not in its types
    const session = (binding as any).alwaysPrimarySession
    if (Object.hasOwn(session, "_send")) continue
    const send = session._send
    session._send = async (
      path: string,
      sql: string | string[],
      values: unknown,
      ...others: unknown[]
    ) => {
      calls.byDatabase[name] = (calls.byDatabase[name] ?? 0) + 1
      if (Array.isArray(sql)) {
        calls.batches.push(
          sql.map((text, index) => ({ sql: text, values: (values as unknown[])[index] })),
        )
      }
      const answer = await send.call(session, path, sql, values, ...others)
      for (const { meta } of [answer].flat()) {
        calls.rowsRead += meta?.rows_read ?? 0
        calls.rowsWritten += meta?.rows_written ?? 0
      }
      return answer
    }
  }
}

/** Queues that keep their messages: whoever counts hands them over, invocation by invocation. */
const keepMessages = (env: Env): Env => ({
  ...env,
  ...Object.fromEntries(
    QUEUES.map((name) => {
      const keep = (body: unknown) =>
        void calls.messages.push({
          queue: `edgepost-${name.toLowerCase().replace("_", "-")}`,
          body,
        })
      const sendBatch = async (all: { body: unknown }[]) => {
        for (const { body } of all) keep(body)
      }
      return [name, { send: async (body: unknown) => keep(body), sendBatch }]
    }),
  ),
})
const QUEUES = [
  ...["SENDS", "SENDS_BACKLOG", "SENDS_BULK", "OUTCOMES"],
  ...["DELIVERIES", "CAMPAIGNS", "MINUTES"],
]

/**
 * Answers with what an invocation costs: a call of the API, or `/count/minute`, or `/count/queue` with
 * messages.
 */
export default {
  async fetch(request: Request, env: Env, execution: ExecutionContext) {
    countQueries(env)
    const counted = keepMessages(env)
    const { pathname } = new URL(request.url)
    calls = newCalls()
    const after: unknown[] = []
    const context = { ...execution, waitUntil: (promise: unknown) => void after.push(promise) }
    let status = 200
    let retried = 0
    if (pathname === "/count/minute") await service.scheduled({}, counted, context)
    else if (pathname === "/count/queue") {
      const messages = (await request.json()) as Message[]
      await service.queue(
        {
          queue: messages[0]?.queue,
          messages: messages.map(({ body }) => ({
            ...{ body, attempts: 1, ack() {} },
            retry: () => void retried++,
          })),
        },
        counted,
        context,
      )
    } else {
      const reply = await service.fetch(request, counted, context)
      status = reply.status
      await reply.arrayBuffer()
    }
    for (let done = 0; done < after.length; done++) await after[done]
    const roundTrips = Object.values(calls.byDatabase).reduce((sum, count) => sum + count, 0)
    return Response.json({ ...calls, status, retried, roundTrips })
  },
}
