import type { Call } from "./load.ts"
import type { Platform } from "./platform.ts"

export interface Operation {
  name: string
  port: number
  call: Call
  status: number
  /** How many items one call counts for. */
  items?: number
  /** The operation that the ratio refers to. */
  compares?: string
}

const HOUR_MS = 3_600_000

/** 1.3 KB as JSON. */
const message = (change: object = {}) => ({
  from: "Demo <hello@demo.test>",
  to: "someone@example.com",
  subject: "Hello",
  html: `<p>${"Hello there, how are you today? ".repeat(36)}</p>`,
  ...change,
})

const hundred = (change: object) =>
  Array.from({ length: 100 }, (_, index) => message({ to: `${index}@example.com`, ...change }))

const later = () => ({ scheduledAt: new Date(Date.now() + HOUR_MS).toISOString() })

export async function operations({ ports, credentials }: Platform): Promise<Operation[]> {
  const headers = { authorization: `Bearer ${credentials.apiKey}` }
  const api = (method: string, path: string, body?: unknown): Call => ({
    method,
    path: `/api/v1${path}`,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const one = api("POST", "/emails", message(later()))
  await recordAccept(ports, one)
  const bare = { port: ports.bare }
  const service = { port: ports.edgepost }
  return [
    { ...bare, name: "bare hello", call: { method: "GET", path: "/" }, status: 200 },
    {
      ...bare,
      name: "bare rate limits",
      call: { method: "GET", path: "/limits" },
      status: 200,
      compares: "bare read",
    },
    { ...bare, name: "bare read", call: { method: "GET", path: "/read" }, status: 200 },
    {
      ...bare,
      name: "bare insert",
      call: { method: "POST", path: "/insert", body: JSON.stringify(message()) },
      status: 201,
    },
    {
      ...bare,
      name: "bare replay of the accept",
      call: { method: "POST", path: "/replay", body: JSON.stringify(message()) },
      status: 201,
      compares: "bare insert",
    },
    { ...service, name: "accept one", call: one, status: 201, compares: "bare insert" },
    {
      ...service,
      name: "accept one, sent at once",
      call: api("POST", "/emails", message()),
      status: 201,
      compares: "bare insert",
    },
    {
      ...service,
      name: "accept a hundred",
      call: api("POST", "/emails/batch", hundred(later())),
      status: 201,
      items: 100,
      compares: "accept one",
    },
    { ...service, name: "GET /me", call: api("GET", "/me"), status: 200, compares: "bare read" },
    {
      ...service,
      name: "GET /emails",
      call: api("GET", "/emails"),
      status: 200,
      compares: "bare read",
    },
  ]
}

/** Tells the bare handler the statements of an accept, with an id of its own for each call. */
async function recordAccept({ recorder, bare }: Platform["ports"], { path, headers, body }: Call) {
  const reply = await fetch(`http://127.0.0.1:${recorder}${path}`, {
    method: "POST",
    ...(headers && { headers }),
    ...(body && { body }),
  })
  const { status, batches } = (await reply.json()) as {
    status: number
    batches: { sql: string; values: unknown[] }[][]
  }
  if (status !== 201) throw new Error(`The recorded accept answered ${status}`)
  const text = JSON.stringify(batches.at(-1))
  const [id] = /em_[0-9A-Z]{26}/.exec(text) ?? []
  if (!id) throw new Error("The recorded accept has no id")
  await fetch(`http://127.0.0.1:${bare}/statements`, {
    method: "POST",
    body: text.replaceAll(id, `${id.slice(0, -10)}#id#`),
  })
}
