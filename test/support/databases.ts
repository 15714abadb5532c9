import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { newId } from "../../src/lib/id.ts"
import { newSecret, storedSecret } from "../../src/worker/access/keys/secret.ts"
import type { QueueMessage } from "../../src/worker/consume.ts"
import worker from "../../src/worker/index.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import { fakeQueue } from "./queue.ts"

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  body: any
}

/** An installation with a second database. Its queues hold what was sent until `deliver`. */
export function createInstallation(settings: Partial<Env> = {}) {
  const { queue, sent } = fakeQueue()
  const QUEUES = ["SENDS", "SENDS_BACKLOG", "SENDS_BULK", "OUTCOMES", "DELIVERIES"] as const
  const installation: Env = {
    ...env,
    ...Object.fromEntries([...QUEUES, "CAMPAIGNS", "MINUTES"].map((name) => [name, queue])),
    DB_2: env.SECOND,
    ...settings,
  }
  async function call(
    method: string,
    path: string,
    { body, ...headers }: Record<string, unknown> = {},
  ): Promise<Reply> {
    const execution = createExecutionContext()
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const length = { "content-length": String(bytes?.length ?? 0) }
    const response = await worker.fetch(
      new Request(`http://edgepost.test${path}`, {
        method,
        headers: { ...(bytes && length), ...headers } as Record<string, string>,
        redirect: "manual",
        ...(bytes && { body: bytes }),
      }),
      installation,
      execution,
    )
    const text = await response.text()
    await waitOnExecutionContext(execution)
    const isJson = response.headers.get("content-type")?.includes("json")
    return { status: response.status, body: isJson && text ? JSON.parse(text) : text }
  }
  async function deliverThese(bodies: readonly QueueMessage[]) {
    const messages = bodies.map((body) => ({
      id: crypto.randomUUID(),
      timestamp: new Date(),
      attempts: 1,
      body,
    }))
    const batch = createMessageBatch<QueueMessage>("edgepost-test", messages)
    const execution = createExecutionContext()
    await worker.queue(batch, installation, execution)
    await waitOnExecutionContext(execution)
  }
  return {
    env: installation,
    sent,
    call,
    deliverThese,
    /** Delivers all messages, and what they cause, until none is left. */
    async deliver() {
      while (sent.length > 0) await deliverThese(sent.splice(0).map(({ message }) => message))
    },
    async minute() {
      const execution = createExecutionContext()
      await worker.scheduled({} as ScheduledController, installation, execution)
      await waitOnExecutionContext(execution)
    },
  }
}

export type Installation = ReturnType<typeof createInstallation>

const run = (db: D1Database, sql: string, ...values: unknown[]) =>
  db
    .prepare(sql)
    .bind(...values)
    .run()

/** A team with a verified domain in the second database, and a key. */
export async function makeTeamElsewhere({ drawn = true } = {}) {
  const id = newId("team")
  const domain = `${id.slice(-12).toLowerCase()}.test`
  const domainId = newId("domain")
  const secret = newSecret(drawn ? 2 : 3)
  const { secretHash, keyPrefix } = storedSecret(secret)
  const now = Date.now()
  await run(
    env.DB,
    "insert into team_databases (team_id, name, database, created_at) values (?, ?, 2, ?)",
    id,
    "Elsewhere",
    now,
  )
  await run(env.DB, "insert into key_teams values (?, ?)", secretHash, id)
  await run(
    env.DB,
    "insert into domain_claims values (?, ?, ?, 2, 'verified')",
    domain,
    id,
    domainId,
  )
  await run(
    env.SECOND,
    "insert into teams (id, name, created_at) values (?, 'Elsewhere', ?)",
    id,
    now,
  )
  await run(
    env.SECOND,
    `insert into domains (team_id, id, name, status, provider, created_at)
      values (?, ?, ?, 'verified', 'sandbox', ?)`,
    id,
    domainId,
    domain,
    now,
  )
  const keyId = newId("apiKey")
  await run(
    env.SECOND,
    `insert into api_keys (secret_hash, id, team_id, name, permission, key_prefix, created_at)
      values (?, ?, ?, 'Test', 'full', ?, ?)`,
    secretHash,
    keyId,
    id,
    keyPrefix,
    now,
  )
  return { id, domain, domainId, keyId, authorization: `Bearer ${secret}` }
}
