import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll } from "vitest"
import { Edgepost, type EdgepostOptions } from "../../src/client/index.ts"

export interface Asked {
  method: string
  path: string
  headers: IncomingMessage["headers"]
  body: string
}

export type Answer = (response: ServerResponse, asked: Asked) => void

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server on this machine that gives one answer after the other, the last one again and again. */
export async function startServer(...answers: Answer[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request
    const one = { method, path: url, headers, body: await text(request) }
    const answer = answers[Math.min(asked.push(one), answers.length) - 1]
    answer?.(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  servers.push(server)
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    asked,
    server,
    baseUrl,
    open: (options: EdgepostOptions = {}) =>
      new Edgepost({ apiKey: "svc_live_test", baseUrl, ...options }),
  }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(status === 204 ? undefined : JSON.stringify(body))

/** A failure in the API's envelope, to be tried again at once. */
export const refusal = (status: number, code = "internal_error") =>
  json(
    status,
    { error: { code, message: "No.", details: [1] } },
    { "retry-after": "0", "x-request-id": "req_1" },
  )

export const page =
  (status: number, html: string): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "text/html", "retry-after": "0" }).end(html)

export const cut: Answer = (response) => void response.socket?.destroy()

export const cutInBody: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
  response.write('{"data":', () => response.socket?.destroy())
}

export const hang: Answer = () => {}

export const hangInBody: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" })
  response.write('{"data":')
}
