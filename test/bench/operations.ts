import type { Call } from "./load.ts"
import type { Platform, Ports } from "./platform.ts"

export interface Operation {
  name: string
  port: number
  call: Call
  status: number
  /** How many items one call counts for. */
  items?: number
  /** The CPU time includes what the queues do afterwards. */
  settles?: boolean
  /** The operation that the ratio refers to. */
  compares?: string
}

const HOUR_MS = 3_600_000

/** 1.3 KB as JSON. */
export const message = (change: object = {}) => ({
  from: "Demo <hello@demo.test>",
  to: "someone@example.com",
  subject: "Hello",
  html: `<p>${"Hello there, how are you today? ".repeat(36)}</p>`,
  ...change,
})

/** No queue carries a scheduled email: only the accept is measured. */
export const laterMessage = (change: object = {}) =>
  message({ scheduledAt: new Date(Date.now() + HOUR_MS).toISOString(), ...change })

const AGAIN = laterMessage({ idempotencyKey: "again" })

const hundred = () =>
  Array.from({ length: 100 }, (_, index) => laterMessage({ to: `${index}@example.com` }))

export function apiCalls({ credentials }: Platform) {
  const headers = { authorization: `Bearer ${credentials.apiKey}` }
  return {
    headers,
    api: (method: string, path: string, body?: unknown): Call => ({
      method,
      path: `/api/v1${path}`,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  }
}

export async function operations(platform: Platform): Promise<Operation[]> {
  const { ports } = platform
  const { api } = apiCalls(platform)
  await recordAccept(ports, "one", api("POST", "/emails", laterMessage()))
  await recordAccept(ports, "hundred", api("POST", "/emails/batch", hundred()))
  const { id } = await made(ports, api("POST", "/emails", laterMessage()))
  await made(ports, api("POST", "/emails", AGAIN))
  await made(ports, api("POST", "/templates", TEMPLATE))
  return [...bareOperations(ports), ...serviceOperations(ports, api, id)]
}

const TEMPLATE = {
  name: "Welcome",
  slug: "welcome",
  subject: "Hi {{ name }}",
  bodyHtml: "<p>Hi {{ name }}</p>",
}

const bareOperations = ({ bare: port }: Ports): Operation[] => {
  const get = (path: string): Call => ({ method: "GET", path })
  const post = (path: string, body: object = laterMessage()): Call => ({
    method: "POST",
    path,
    body: JSON.stringify(body),
  })
  return [
    { port, name: "bare hello", call: get("/"), status: 200 },
    { port, name: "bare rate limits", call: get("/limits"), status: 200, compares: "bare read" },
    { port, name: "bare read", call: get("/read"), status: 200 },
    { port, name: "bare insert", call: post("/insert"), status: 201 },
    {
      port,
      name: "bare replay of the accept",
      call: post("/replay?one"),
      status: 201,
      compares: "bare insert",
    },
    {
      port,
      name: "bare replay, sent at once",
      call: post("/replay?one&sent", message()),
      status: 201,
      settles: true,
      compares: "bare insert",
    },
    {
      port,
      name: "bare replay of a hundred",
      call: post("/replay?hundred", hundred()),
      status: 201,
      items: 100,
      compares: "bare replay of the accept",
    },
  ]
}

function serviceOperations(
  { edgepost: port }: Ports,
  api: ReturnType<typeof apiCalls>["api"],
  id: string,
): Operation[] {
  const accept = (name: string, body: object, status = 201): Operation => ({
    port,
    name,
    call: api("POST", "/emails", body),
    status,
    compares: "bare insert",
  })
  const read = (path: string, name = `GET ${path}`): Operation => ({
    port,
    name,
    call: api("GET", path),
    status: 200,
    compares: "bare read",
  })
  const attachments = [{ filename: "a.txt", content: Buffer.alloc(10_000, "a").toString("base64") }]
  return [
    accept("accept one", laterMessage()),
    { ...accept("accept one, sent at once", message()), settles: true },
    accept("accept with a template", {
      ...laterMessage(),
      html: undefined,
      subject: undefined,
      template: "welcome",
      variables: { name: "Ada" },
    }),
    accept("accept with an attachment", laterMessage({ attachments })),
    accept("accept with an idempotency key", laterMessage({ idempotencyKey: "new-#n#" })),
    accept("accept again with its key", AGAIN, 200),
    accept("accept, refused", laterMessage({ from: "a@elsewhere.test" }), 422),
    {
      port,
      name: "accept a hundred",
      call: api("POST", "/emails/batch", hundred()),
      status: 201,
      items: 100,
      compares: "accept one",
    },
    read("/me"),
    read(`/emails/${id}`, "GET /emails/:id"),
    read("/emails"),
    read("/emails?to=someone@example.com", "GET /emails?to="),
    read("/emails?status=delivered", "GET /emails?status="),
    read("/stats"),
  ]
}

export const send = (port: number, { method, path, headers, body }: Call) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(headers && { headers }),
    ...(body && { body }),
  })

async function made({ edgepost }: Ports, call: Call): Promise<{ id: string }> {
  const reply = await send(edgepost, call)
  if (reply.status !== 201) throw new Error(`${call.path}: ${await reply.text()}`)
  return (await reply.json()) as { id: string }
}

/** Tells the bare handler the statements of an accept, with ids of its own for each replay. */
async function recordAccept({ recorder, bare }: Ports, name: string, call: Call) {
  const reply = await send(recorder, call)
  const { status, batches } = (await reply.json()) as {
    status: number
    batches: { sql: string; values: unknown[] }[][]
  }
  if (status !== 201) throw new Error(`The recorded accept answered ${status}`)
  // A replay changes the middle of each id: the end numbers the emails of a call.
  const body = JSON.stringify(batches.at(-1)).replaceAll(
    /(em_[0-9A-Z]{10})[0-9A-Z]{10}([0-9A-Z]{6})/g,
    "$1#id#$2",
  )
  if (!body.includes("#id#")) throw new Error("The recorded accept has no id")
  await send(bare, { method: "POST", path: `/statements?${name}`, body })
}
