import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { expect, it, vi } from "vitest"
import { createWebhookHandler } from "../../src/client/receiver.ts"
import { run } from "../../src/command-line/program.ts"
import { startApi } from "./fake-api.ts"
import { KEY, runCommand } from "./run.ts"
import { EMAIL, event } from "./samples.ts"

it("forwards each event signed with the printed secret, and replays on demand", async () => {
  let secret = ""
  const received: string[] = []
  const server = createServer(async (request, response) => {
    const { method = "", url } = request
    const headers = request.headers as Record<string, string>
    const handler = createWebhookHandler({
      secret,
      on: { "email.sent": ({ id, data }) => received.push(`${url} ${id} ${JSON.stringify(data)}`) },
    })
    const body = await text(request)
    const { status } = await handler(new Request("http://a.test/", { method, headers, body }))
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
  const sent = event("sent", 1)
  const events = [sent]
  const api = await startApi({ "GET /emails/:id": () => ({ ...EMAIL, events }) })

  const typed = new Readable({ read() {} })
  const stop = new AbortController()
  const printed: string[] = []
  const done = run(
    [
      "webhooks",
      "listen",
      String((server.address() as AddressInfo).port),
      "--path",
      "/h",
      "--json",
    ],
    {
      input: typed,
      output: { write: (line) => printed.push(line) },
      errors: { write: () => {} },
      env: { SVC_API_KEY: KEY, SVC_BASE_URL: api.baseUrl },
      signal: stop.signal,
    },
  )
  await vi.waitFor(() => expect(printed).toHaveLength(1))
  secret = JSON.parse(printed[0]!).secret
  await vi.waitFor(() => {
    api.change("email", "em_1")
    expect(received).toHaveLength(1)
  })
  const { id, ...entry } = sent
  expect(received[0]).toBe(`/h evt_1 ${JSON.stringify({ email: EMAIL, event: entry })}`)
  await vi.waitFor(() => expect(printed).toHaveLength(2))
  expect(JSON.parse(printed[1]!)).toMatchObject({ eventId: id, type: "email.sent", status: 200 })
  typed.push("evt_1\n")
  await vi.waitFor(() => expect(received).toHaveLength(2))
  typed.push("\n")
  await vi.waitFor(() => expect(received).toHaveLength(3))
  events.push(event("cancelled", 2), event("failed", 3))
  api.change("email", "em_1")
  await vi.waitFor(() => expect(printed.at(-1)).toContain("email.failed"))
  expect(printed.join()).not.toContain("cancelled")
  stop.abort()
  expect(await done).toBe(0)
  server.close()
})

it("refuses an invalid port", async () => {
  const api = await startApi()
  expect((await runCommand(api, ["webhooks", "listen", "http"])).code).toBe(2)
})
