import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { DatabaseSync } from "node:sqlite"

import { migrations } from "../../../src/operations/migrations.ts"

export const ACCOUNT = "0123456789abcdef0123456789abcdef"
export const TOKEN = "fake-token"

interface Zone {
  id: string
  name: string
  status: string
  name_servers: string[]
}
interface Queue {
  queue_id: string
  queue_name: string
  jurisdiction?: string
  consumers: { type: string; consumer_id: string; script: string; [setting: string]: unknown }[]
}
export interface Module {
  name: string
  type: string
  text: string
}
export interface Script {
  /** What was uploaded, the main one first, and how it runs. */
  modules?: Module[]
  compatibility?: { date: string; flags: string[] }
  bindings: { type: string; name: string; [field: string]: unknown }[]
  secrets: string[]
  schedules: { cron: string }[]
  workersDev: boolean
}

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  /** Of the buckets that the call is about. */
  jurisdiction: string | undefined
  body: unknown
  modules: Module[]
}

class Refusal extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Cloudflare's API, as far as an installation needs it. Databases are real SQLite. */
export async function startFakeAccount() {
  const account = {
    plan: "paid" as "paid" | "free" | "contract" | "unreadable",
    hasR2: true,
    subdomain: "acme" as string | null,
    zones: [{ id: "zone-1", name: "example.com", status: "active", name_servers: [] }] as Zone[],
    dns: [] as string[],
    databases: new Map<string, { uuid: string; db: DatabaseSync; place: object }>(),
    queues: [] as Queue[],
    /** Those of a jurisdiction as `eu/name`. */
    buckets: new Map<string, { rules: unknown[]; objects: string[] }>(),
    scripts: new Map<string, Script>(),
    domains: [] as { id: string; hostname: string; service: string; zone_id: string }[],
    calls: [] as Call[],
    /** So many calls are refused with 429 first. */
    tooMany: 0,
    /** No host answers. */
    isDown: false,
    /** Refuses a call once, by its number from now. */
    failAt: null as number | null,
    unknown: [] as string[],
    /** Calls whose path contains this are refused. */
    refusals: [] as {
      path: string
      method?: string
      status: number
      code: number
      message: string
      /** By default, always. */
      times?: number
    }[],
  }
  let ids = 0
  const newId = (kind: string) => `${kind}-${++ids}`
  const found = <T>(value: T | undefined, code: number, noun: string): T => {
    if (value === undefined) throw new Refusal(404, code, `${noun} not found`)
    return value
  }
  const scriptOf = (name = "") =>
    found(account.scripts.get(name), 10007, "This Worker does not exist on your account. Worker")
  const bucketName = ({ jurisdiction }: Call, name = "") =>
    jurisdiction ? `${jurisdiction}/${name}` : name
  const bucketOf = (call: Call, name?: string) =>
    found(account.buckets.get(bucketName(call, name)), 10006, "Bucket")
  const databaseOf = (id = "") =>
    found(
      account.databases.get(id) ?? [...account.databases.values()].find(({ uuid }) => uuid === id),
      7404,
      "Database",
    ).db
  const queueOf = (id = "") =>
    found(
      account.queues.find(({ queue_id }) => queue_id === id),
      11000,
      "Queue",
    )

  type Answer = (call: Call, ...parts: string[]) => unknown
  const fields = ({ body }: Call) => body as Record<string, string>

  const root: [string, RegExp, Answer][] = [
    ["GET", /^\/accounts$/, () => [{ id: ACCOUNT, name: "Acme" }]],
    ["GET", /^\/memberships$/, () => [{ account: { id: ACCOUNT, name: "Acme" } }]],
    ["GET", /^\/user$/, () => ({ id: "user", email: "owner@example.com" })],
    [
      "GET",
      /^\/zones$/,
      ({ query }) => account.zones.filter(({ name }) => name === query.get("name")),
    ],
  ]
  const inAccount: [string, RegExp, Answer][] = [
    ["GET", /^\/subscriptions$/, () => subscriptions()],
    ["GET", /^\/workers\/subdomain$/, () => ({ subdomain: account.subdomain })],
    ["GET", /^\/workers\/standard$/, () => ({ standard: true })],
    [
      "GET",
      /^\/d1\/database$/,
      ({ query }) =>
        [...account.databases]
          .filter(([name]) => name.includes(query.get("name") ?? ""))
          .map(([name, { uuid }]) => ({ name, uuid })),
    ],
    [
      "POST",
      /^\/d1\/database$/,
      (call) => {
        const { name = "", ...place } = fields(call)
        if (account.databases.has(name)) throw new Refusal(400, 7502, `${name} exists`)
        const created = { uuid: newId("database"), db: new DatabaseSync(":memory:"), place }
        account.databases.set(name, created)
        return { name, uuid: created.uuid }
      },
    ],
    [
      "GET",
      /^\/d1\/database\/([^/]+)$/,
      (_call, id) => {
        const db = databaseOf(id)
        const [row] = db.prepare("pragma page_count").all()
        const [name, { uuid } = {}] = [...account.databases].find(([, one]) => one.db === db) ?? []
        return { uuid, name, file_size: Number(row?.page_count) * 4096 }
      },
    ],
    [
      "POST",
      /^\/d1\/database\/([^/]+)\/query$/,
      (call, id) => runSql(databaseOf(id), fields(call).sql ?? ""),
    ],
    [
      "DELETE",
      /^\/d1\/database\/([^/]+)$/,
      (_call, id) => {
        databaseOf(id).close()
        for (const [name, { uuid }] of account.databases) {
          if (uuid === id) account.databases.delete(name)
        }
      },
    ],
    [
      "GET",
      /^\/queues$/,
      ({ query }) =>
        account.queues.filter(
          ({ queue_name }) => !query.has("name") || query.getAll("name").includes(queue_name),
        ),
    ],
    [
      "POST",
      /^\/queues$/,
      (call) => {
        const { queue_name = "", ...place } = fields(call)
        if (account.queues.some((queue) => queue.queue_name === queue_name)) {
          throw new Refusal(409, 11009, `Queue name '${queue_name}' is already taken`)
        }
        const queue = { queue_id: newId("queue"), queue_name, consumers: [], ...place }
        account.queues.push(queue)
        return queue
      },
    ],
    [
      "DELETE",
      /^\/queues\/([^/]+)$/,
      (_call, id) => {
        queueOf(id)
        account.queues = account.queues.filter(({ queue_id }) => queue_id !== id)
      },
    ],
    ["GET", /^\/queues\/([^/]+)\/consumers$/, (_call, id) => queueOf(id).consumers],
    [
      "POST",
      /^\/queues\/([^/]+)\/consumers$/,
      (call, id) => addConsumer(queueOf(id), call.body as { script_name: string }),
    ],
    [
      "PUT",
      /^\/queues\/([^/]+)\/consumers\/([^/]+)$/,
      (call, id, consumer) => {
        const one = queueOf(id).consumers.find(({ consumer_id }) => consumer_id === consumer)
        return Object.assign(found(one, 11003, "Consumer"), call.body)
      },
    ],
    [
      "GET",
      /^\/r2\/buckets$/,
      () => ({ buckets: [...account.buckets.keys()].map((name) => ({ name })) }),
    ],
    ["GET", /^\/r2\/buckets\/([^/]+)$/, (call, name) => bucketOf(call, name) && { name }],
    [
      "POST",
      /^\/r2\/buckets$/,
      (call) => {
        if (!account.hasR2) {
          throw new Refusal(403, 10042, "Please enable R2 through the Cloudflare Dashboard.")
        }
        const { name = "" } = fields(call)
        account.buckets.set(bucketName(call, name), { rules: [], objects: [] })
        return { name }
      },
    ],
    [
      "GET",
      /^\/r2\/buckets\/([^/]+)\/lifecycle$/,
      (call, name) => ({ rules: bucketOf(call, name).rules }),
    ],
    [
      "PUT",
      /^\/r2\/buckets\/([^/]+)\/lifecycle$/,
      (call, name) => {
        bucketOf(call, name).rules = (call.body as { rules: unknown[] }).rules
      },
    ],
    [
      "GET",
      /^\/r2\/buckets\/([^/]+)\/objects$/,
      (call, name) =>
        bucketOf(call, name)
          .objects.filter((key) => key.startsWith(call.query.get("prefix") ?? ""))
          .slice(0, 1000)
          .map((key) => ({ key })),
    ],
    [
      "DELETE",
      /^\/r2\/buckets\/([^/]+)\/objects$/,
      (call, name) => {
        const bucket = bucketOf(call, name)
        bucket.objects = bucket.objects.filter((key) => !(call.body as string[]).includes(key))
      },
    ],
    [
      "DELETE",
      /^\/r2\/buckets\/([^/]+)$/,
      (call, name = "") => {
        if (bucketOf(call, name).objects.length > 0) {
          throw new Refusal(409, 10008, "The bucket you tried to delete is not empty")
        }
        account.buckets.delete(bucketName(call, name))
      },
    ],
    [
      "GET",
      /^\/workers\/domains$/,
      ({ query }) =>
        account.domains.filter(
          ({ hostname, service }) =>
            hostname === (query.get("hostname") ?? hostname) &&
            service === (query.get("service") ?? service),
        ),
    ],
    ["PUT", /^\/workers\/domains$/, (call) => attach(fields(call))],
    [
      "DELETE",
      /^\/workers\/domains\/([^/]+)$/,
      (_call, id) => {
        account.domains = account.domains.filter((domain) => domain.id !== id)
      },
    ],
    [
      "GET",
      /^\/workers\/scripts\/([^/]+)\/settings$/,
      (_call, name) => ({ bindings: scriptOf(name).bindings }),
    ],
    [
      "GET",
      /^\/workers\/scripts\/([^/]+)\/secrets$/,
      (_call, name) =>
        scriptOf(name).secrets.map((secret) => ({ name: secret, type: "secret_text" })),
    ],
    ["PUT", /^\/workers\/scripts\/([^/]+)$/, (call, name = "") => putScript(name, call)],
    [
      "DELETE",
      /^\/workers\/scripts\/([^/]+)$/,
      (_call, name = "") => {
        scriptOf(name)
        account.scripts.delete(name)
        for (const queue of account.queues) {
          queue.consumers = queue.consumers.filter(({ script }) => script !== name)
        }
      },
    ],
    [
      "PUT",
      /^\/workers\/scripts\/([^/]+)\/schedules$/,
      (call, name) => {
        scriptOf(name).schedules = call.body as { cron: string }[]
      },
    ],
    [
      "POST",
      /^\/workers\/scripts\/([^/]+)\/subdomain$/,
      (call, name) => {
        scriptOf(name).workersDev = (call.body as { enabled: boolean }).enabled
        return { enabled: scriptOf(name).workersDev, previews_enabled: false }
      },
    ],
    [
      "GET",
      /^\/workers\/scripts\/([^/]+)\/subdomain$/,
      (_call, name) => ({ enabled: scriptOf(name).workersDev, previews_enabled: false }),
    ],
    [
      "GET",
      /^\/workers\/services\/([^/]+)$/,
      (_call, name) =>
        scriptOf(name) && {
          default_environment: {
            environment: "production",
            script: { tag: "tag", last_deployed_from: "wrangler" },
          },
        },
    ],
    [
      "GET",
      /^\/workers\/workers\/([^/]+)$/,
      (_call, name) => ({
        name,
        subdomain: { enabled: scriptOf(name).workersDev, previews_enabled: false },
      }),
    ],
    [
      "POST",
      /^\/workers\/scripts\/([^/]+)\/assets-upload-session$/,
      () => ({ jwt: "uploaded", buckets: [] }),
    ],
    [
      "GET",
      /^\/workers\/scripts\/([^/]+)\/deployments$/,
      (_call, name) => scriptOf(name) && { deployments: [] },
    ],
    [
      "GET",
      /^\/workers\/scripts\/([^/]+)\/versions$/,
      (_call, name) => scriptOf(name) && { items: [] },
    ],
  ]

  function subscriptions() {
    if (account.plan === "unreadable") throw new Refusal(403, 9109, "Unauthorized")
    return account.plan === "contract" ? [] : [{ rate_plan: { id: `workers_${account.plan}` } }]
  }

  function runSql(db: DatabaseSync, sql: string) {
    if (/^\s*(select|pragma)/i.test(sql)) return [{ success: true, results: db.prepare(sql).all() }]
    db.exec("begin")
    try {
      db.exec(sql)
      db.exec("commit")
    } catch (error) {
      db.exec("rollback")
      throw new Refusal(400, 7500, (error as Error).message)
    }
    return [{ success: true, results: [] }]
  }

  function addConsumer(queue: Queue, { script_name, ...settings }: { script_name: string }) {
    if (queue.consumers.length > 0) {
      throw new Refusal(400, 11004, `Queue "${queue.queue_name}" already has a consumer`)
    }
    const consumer = {
      ...settings,
      type: "worker",
      consumer_id: newId("consumer"),
      script: script_name,
    }
    queue.consumers.push(consumer)
    return consumer
  }

  function attach({ hostname = "", service = "", zone_id = "" }: Record<string, string>) {
    scriptOf(service)
    found(
      account.zones.find(({ id }) => id === zone_id),
      10021,
      "Zone",
    )
    const known = account.domains.find((domain) => domain.hostname === hostname)
    if (known && known.service !== service) {
      throw new Refusal(
        409,
        100116,
        `Hostname '${hostname}' already in use by other custom domain.`,
      )
    }
    if (account.dns.includes(hostname)) {
      throw new Refusal(
        409,
        100117,
        `Hostname '${hostname}' already has externally managed DNS records (A, CNAME, etc).`,
      )
    }
    if (known) return known
    const domain = { id: newId("domain"), hostname, service, zone_id }
    account.domains.push(domain)
    return domain
  }

  function putScript(name: string, { body, modules }: Call) {
    const given = body as {
      bindings?: Script["bindings"]
      limits?: { cpu_ms: number }
      compatibility_date: string
      compatibility_flags: string[]
    }
    const { bindings = [], limits } = given
    if (account.plan === "free" && limits) {
      throw new Refusal(400, 100328, "CPU limits are not supported for the Free plan.")
    }
    const known = account.scripts.get(name)
    const secrets = bindings.filter(({ type }) => type === "secret_text").map((one) => one.name)
    const inherited = (one: Script["bindings"][number]) =>
      one.type === "inherit" ? known?.bindings.find((other) => other.name === one.name) : one
    account.scripts.set(name, {
      modules,
      compatibility: { date: given.compatibility_date, flags: given.compatibility_flags },
      bindings: bindings.flatMap((one) =>
        one.type === "secret_text" ? [] : (inherited(one) ?? []),
      ),
      secrets: [...new Set([...(known?.secrets ?? []), ...secrets])].sort(),
      schedules: known?.schedules ?? [],
      workersDev: known?.workersDev ?? false,
    })
    return { id: name, tag: "tag", startup_time_ms: 1, deployment_id: newId("deployment") }
  }

  /** The Worker that a host leads to. Its first call migrates its databases. */
  function answers(hostname: string): boolean {
    if (account.isDown) return false
    const domain = account.domains.find((one) => one.hostname === hostname)
    const [name = ""] = hostname.split(".")
    const onWorkersDev = hostname === `${name}.${account.subdomain}.workers.dev`
    const script = account.scripts.get(domain?.service ?? name)
    if (!script || !(domain || (onWorkersDev && script.workersDev))) return false
    for (const { type, id } of script.bindings) if (type === "d1") migrate(databaseOf(String(id)))
    return true
  }

  function answer(call: Call): unknown {
    const { method, path } = call
    const scoped = path.startsWith(`/accounts/${ACCOUNT}/`)
    const inner = scoped ? path.slice(`/accounts/${ACCOUNT}`.length) : path
    for (const [verb, pattern, handler] of scoped ? inAccount : root) {
      const match = verb === method ? pattern.exec(inner) : null
      if (match) return handler(call, ...match.slice(1).map(decodeURIComponent))
    }
    account.unknown.push(`${method} ${inner} ${JSON.stringify(call.body)}`)
    throw new Refusal(404, 7003, `No route for ${method} ${inner}`)
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? "/", "http://localhost")
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" })
      response.end(JSON.stringify(body))
    }
    if (url.pathname === "/health") {
      const isThere = answers(request.headers["x-host"] as string)
      return isThere ? reply(200, { status: "ok" }) : reply(404, {})
    }
    const call = {
      method: request.method ?? "GET",
      path: url.pathname,
      query: url.searchParams,
      jurisdiction: request.headers["cf-r2-jurisdiction"] as string | undefined,
      ...(await readBody(request)),
    }
    account.calls.push(call)
    try {
      if (request.headers.authorization !== `Bearer ${TOKEN}`) {
        throw new Refusal(403, 10000, "Authentication error")
      }
      if (account.tooMany > 0) {
        account.tooMany--
        response.setHeader("retry-after", "1")
        throw new Refusal(429, 971, "Please wait and consider throttling your request speed")
      }
      if (account.failAt !== null && account.failAt-- === 0) {
        account.failAt = null
        throw new Refusal(500, 10013, "An unknown error has occurred")
      }
      const refusal = account.refusals.find(
        ({ path, method = call.method, times = 1 }) =>
          call.path.includes(path) && method === call.method && times > 0,
      )
      if (refusal?.times) refusal.times--
      if (refusal) throw new Refusal(refusal.status, refusal.code, refusal.message)
      const result = answer(call) ?? {}
      const result_info = Array.isArray(result) ? { page: 1, total_pages: 1 } : undefined
      reply(200, { success: true, errors: [], messages: [], result, result_info })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, code, message } = error
      reply(status, { success: false, errors: [{ code, message }], messages: [], result: null })
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error)
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(account, {
    url,
    stop: () => new Promise((resolve) => server.close(resolve)),
  })
}

function migrate(db: DatabaseSync): void {
  db.exec("create table if not exists d1_migrations (id integer primary key, name text unique)")
  const applied = db.prepare("select name from d1_migrations").all()
  for (const { name, sql } of migrations()) {
    if (applied.some((one) => one.name === name)) continue
    db.exec(sql)
    db.prepare("insert into d1_migrations (name) values (?)").run(name)
  }
}

export type FakeAccount = Awaited<ReturnType<typeof startFakeAccount>>

/** A script comes as a form: the part `metadata` is JSON, and each other part a module. */
async function readBody(request: IncomingMessage): Promise<Pick<Call, "body" | "modules">> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const bytes = Buffer.concat(parts)
  const type = request.headers["content-type"] ?? ""
  if (!type.startsWith("multipart/")) {
    return { body: bytes.length > 0 ? JSON.parse(bytes.toString()) : null, modules: [] }
  }
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData()
  const modules = await Promise.all(
    [...form].flatMap(([name, part]) =>
      typeof part === "string"
        ? []
        : [part.text().then((text): Module => ({ name, type: part.type, text }))],
    ),
  )
  return { body: JSON.parse(String(form.get("metadata"))), modules }
}
