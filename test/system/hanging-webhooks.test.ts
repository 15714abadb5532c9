import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { type DevServer, startDevServer } from "./dev-server.ts"

let server: DevServer
/** When a request came, by its path. Those to `/hang/...` are never answered. */
const received: { path: string; at: number }[] = []
const receiver = createServer((request, response) => {
  received.push({ path: request.url ?? "", at: performance.now() })
  if (!request.url?.startsWith("/hang")) response.end("ok")
})

beforeAll(async () => {
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  server = await startDevServer()
})
afterAll(async () => {
  await server?.dispose()
  receiver.closeAllConnections()
  receiver.close()
})

async function subscribe(path: string, key: string) {
  const { port } = receiver.address() as AddressInfo
  const body = { url: `http://127.0.0.1:${port}${path}`, events: ["email.delivered"] }
  expect((await server.call("POST", "/api/v1/webhooks", body, key)).status).toBe(201)
}

const emailFrom = (domain: string) => ({
  from: `hello@${domain}`,
  to: "reader@example.com",
  subject: "Hello",
  text: "Hi",
})

const countOf = (path: string) => received.filter((one) => one.path === path).length

/** How long another team's webhook takes to be told of an email that is sent now. */
async function timeOther() {
  const { apiKey } = server.credentials.other
  const before = countOf("/ok")
  const startedAt = performance.now()
  await server.call("POST", "/api/v1/emails", emailFrom("other.test"), apiKey)
  await vi.waitFor(() => expect(countOf("/ok")).toBeGreaterThan(before), {
    timeout: 60_000,
    interval: 10,
  })
  return performance.now() - startedAt
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] as number

it("ten hanging webhooks delay another team's by less than a second", async () => {
  const { apiKey, other } = server.credentials
  await subscribe("/ok", other.apiKey)
  await timeOther()
  const alone = median([await timeOther(), await timeOther(), await timeOther()])
  for (let index = 0; index < 10; index++) await subscribe(`/hang/${index}`, apiKey)
  const times: number[] = []
  for (let round = 0; round < 6; round++) {
    const emails = Array.from({ length: 20 }, () => emailFrom("demo.test"))
    await server.call("POST", "/api/v1/emails/batch", emails, apiKey)
    times.push(await timeOther())
  }
  for (let index = 0; index < 10; index++) expect(countOf(`/hang/${index}`)).toBeGreaterThan(0)
  expect(Math.max(...times) - alone).toBeLessThan(1_000)
})
