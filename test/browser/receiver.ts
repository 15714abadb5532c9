import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Call {
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** A receiver of webhooks that a test can break and mend. */
export async function startReceiver() {
  const calls: Call[] = []
  const answer = { status: 200, body: "" }
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    calls.push({ headers: request.headers, body })
    response.writeHead(answer.status).end(answer.body)
  }).listen(0, "localhost")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/hook`,
    calls,
    answer(status: number, body = "") {
      Object.assign(answer, { status, body })
    },
    close: () => server.close(),
  }
}
