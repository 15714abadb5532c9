import { env } from "cloudflare:workers"
import { AsyncLocalStorage } from "node:async_hooks"
import worker from "../../src/worker/index.ts"

/** https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_VALUE_BYTES = 2_000_000
const MAX_RESULT_BYTES = 50_000_000
const MAX_STATEMENTS = 1_000
/** https://developers.cloudflare.com/queues/platform/limits/: about 100 bytes of a message are the platform's. */
const MAX_MESSAGE_BYTES = 128_000 - 100
const MAX_BATCH_BYTES = 256_000
const MAX_BATCH_MESSAGES = 100
const MAX_DELAY_SECONDS = 86_400

const invocations = new AsyncLocalStorage<{ statements: number }>()

let isStrict = false

/** Everything that `work` awaits belongs to one invocation of the Worker. */
export const asInvocation = <T>(work: () => T): T => invocations.run({ statements: 0 }, work)

/** Bindings refuse what those of Cloudflare refuse, and the local runtime lets through. */
export function makeStrict(): void {
  if (isStrict) return
  isStrict = true
  makeDatabasesStrict()
  makeQueuesStrict()
  makeBucketStrict()
  for (const name of ["fetch", "queue", "scheduled", "email"] as const) {
    const handle = worker[name] as (...args: unknown[]) => unknown
    Object.assign(worker, { [name]: (...args: unknown[]) => asInvocation(() => handle(...args)) })
  }
}

const bytesOf = (value: unknown): number => {
  if (typeof value === "string") return Buffer.byteLength(value)
  return Array.isArray(value) ? value.length : 8
}

const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)

function makeDatabasesStrict() {
  // biome-ignore lint/suspicious/noExplicitAny: the binding's inner session is not in its types
  const session = Object.getPrototypeOf(Object.getPrototypeOf((env.DB as any).alwaysPrimarySession))
  const send = session._send
  session._send = async function (path: string, sql: string | string[], ...rest: unknown[]) {
    countStatements(typeof sql === "string" ? 1 : sql.length)
    const values = [rest[0]].flat(2)
    if (values.some((value) => bytesOf(value) > MAX_VALUE_BYTES)) throw tooBig("value")
    const answer = await send.call(this, path, sql, ...rest)
    checkResults([answer].flat())
    return answer
  }
}

function countStatements(count: number) {
  const invocation = invocations.getStore()
  if (!invocation) return
  invocation.statements += count
  if (invocation.statements > MAX_STATEMENTS) {
    throw new Error("D1_ERROR: Too many API requests by single worker invocation.")
  }
}

function checkResults(results: { results?: { rows?: unknown[][] } | Record<string, unknown>[] }[]) {
  let bytes = 0
  for (const { results: found } of results) {
    const rows = Array.isArray(found) ? found.map((row) => Object.values(row)) : (found?.rows ?? [])
    for (const row of rows) {
      const size = sum(row.map(bytesOf))
      if (size > MAX_VALUE_BYTES) throw tooBig("row")
      bytes += size
    }
  }
  if (bytes > MAX_RESULT_BYTES) throw new Error("D1_ERROR: The result is over 50 MB.")
}

const tooBig = (what: string) =>
  new Error(`D1_ERROR: string or blob too big: SQLITE_TOOBIG (${what})`)

function makeQueuesStrict() {
  const queue = Object.getPrototypeOf(env.SENDS) as Queue
  const { send, sendBatch } = queue
  queue.send = function (body, options) {
    checkMessage(body, options?.delaySeconds)
    return send.call(this, body, options)
  }
  queue.sendBatch = function (messages, options) {
    const all = [...messages]
    const bytes = all.map(({ body, delaySeconds }) => checkMessage(body, delaySeconds))
    if (all.length > MAX_BATCH_MESSAGES) throw new Error("Queue sendBatch: too many messages")
    if (sum(bytes) > MAX_BATCH_BYTES) throw new Error("Queue sendBatch: Payload Too Large")
    return sendBatch.call(this, all, options)
  }
}

function checkMessage(body: unknown, delaySeconds = 0): number {
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes > MAX_MESSAGE_BYTES) throw new Error("Queue send: Payload Too Large")
  if (delaySeconds > MAX_DELAY_SECONDS) throw new Error("Queue send: Invalid delay")
  return bytes
}

const SECOND_MS = 1_000
const writtenAt = new Map<string, number>()

/** As if the last writes were long ago. */
export const forgetWrites = () => writtenAt.clear()

/** One write of a key a second: https://developers.cloudflare.com/r2/platform/limits/ */
function makeBucketStrict() {
  const bucket = Object.getPrototypeOf(env.CONTENT) as R2Bucket
  const { put, delete: deleteKeys } = bucket
  bucket.put = async function (this: R2Bucket, key: string, ...rest: unknown[]) {
    const now = performance.now()
    if (now - (writtenAt.get(key) ?? -SECOND_MS) < SECOND_MS) {
      throw new Error(
        `put: Reduce your concurrent request rate for the same object. (10058) ${key}`,
      )
    }
    writtenAt.set(key, now)
    return put.call(this, key, ...(rest as [never]))
  } as R2Bucket["put"]
  // A test that empties the bucket begins anew.
  bucket.delete = function (keys) {
    for (const key of [keys].flat()) writtenAt.delete(key)
    return deleteKeys.call(this, keys)
  }
}
