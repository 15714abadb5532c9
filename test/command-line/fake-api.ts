import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll } from "vitest"
import { readJson } from "../../src/lib/json.ts"

export interface Asked {
  method: string
  path: string
  query: Record<string, string>
  /** The path and the query as they came. */
  url: string
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  body: any
}

type Handler = (asked: Asked, response: ServerResponse) => unknown

export interface FakeApi {
  baseUrl: string
  asked: Asked[]
  /** By `GET /me`; `:id` stands for any part. A handler answers the body, or writes the reply itself. */
  routes: Record<string, Handler>
  /** Tells every open stream of a change. */
  change(type: "email" | "webhook" | "received", id: string): void
}

const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

export async function startApi(routes: Record<string, Handler> = {}): Promise<FakeApi> {
  const asked: Asked[] = []
  const streams = new Set<ServerResponse>()
  let sequence = 0
  const all: Record<string, Handler> = {
    "GET /me": () => ME,
    "GET /stream": (_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": connected\n\n")
      streams.add(response)
    },
    ...routes,
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://localhost")
    const body = await text(request)
    const one = {
      method: request.method ?? "",
      path: url.pathname.replace("/api/v1", ""),
      query: Object.fromEntries(url.searchParams),
      url: request.url ?? "",
      headers: request.headers,
      body: request.headers["content-type"] === "message/rfc822" ? body : readJson(body),
    }
    asked.push(one)
    const handler = find(all, `${one.method} ${one.path}`)
    if (!handler) return refuse(response, 404, "not_found", `No ${one.path}.`)
    const reply = await handler(one, response)
    if (response.headersSent || response.writableEnded) return
    response.setHeader("content-type", "application/json")
    if (reply === undefined) response.writeHead(204).end()
    else response.end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    routes: all,
    change(type, id) {
      const data = JSON.stringify({ type, id })
      sequence++
      for (const stream of streams)
        stream.write(`id: ${sequence}\nevent: change\ndata: ${data}\n\n`)
    },
  }
}

function find(routes: Record<string, Handler>, call: string): Handler | undefined {
  const key = Object.keys(routes).find((route) =>
    new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`).test(call),
  )
  return key === undefined ? undefined : routes[key]
}

export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  details?: unknown,
): void {
  response
    .writeHead(status, { "content-type": "application/json", "x-request-id": "req_1" })
    .end(JSON.stringify({ error: { code, message, details } }))
}

export const ME = {
  team: { id: "team_1", name: "Our team" },
  key: {
    id: "key_1",
    name: "First key",
    permission: "full",
    keyPrefix: "svc_live_abcdefg",
    domainId: null,
  },
}

export const page = <T>(...data: T[]) => ({ data, nextCursor: null })
