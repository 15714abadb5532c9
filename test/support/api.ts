import { callWorker } from "./meter.ts"

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every shape
  body: any
}

type Call = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

/** The REST API over HTTP, as the holder of a key. */
export interface Api {
  key: string
  get: Call
  post: Call
  patch: Call
  delete: Call
}

export const BASE_URL = "http://edgepost.test"

export function createApi(key: string): Api {
  const as =
    (method: string): Call =>
    (path, body, headers) =>
      request(method, `/api/v1${path}`, body, { authorization: `Bearer ${key}`, ...headers })
  return { key, get: as("GET"), post: as("POST"), patch: as("PATCH"), delete: as("DELETE") }
}

export async function request(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const bytes = body === undefined ? undefined : toBytes(body)
  const response = await callWorker(
    new Request(`${BASE_URL}${path}`, {
      method,
      headers: { ...(bytes && { "content-length": String(bytes.length) }), ...headers },
      redirect: "manual",
      ...(bytes && { body: bytes }),
    }),
  )
  const text = await textOf(response)
  const isJson = response.headers.get("content-type")?.includes("json")
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  }
}

const toBytes = (body: unknown) =>
  body instanceof Uint8Array
    ? (body as Uint8Array<ArrayBuffer>)
    : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))

/** A stream has no end that could be waited for. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text()
  await response.body?.cancel()
  return ""
}
