import { execFileSync, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { eventually } from "../support/eventually.ts"
import { type DevServer, startDevServer } from "./dev-server.ts"

let server: DevServer

beforeAll(async () => {
  server = await startDevServer()
})
afterAll(() => server?.dispose())

const message = (index: number) => ({
  from: "Hello <hello@demo.test>",
  to: `reader-${index}@example.com`,
  subject: `No ${index}`,
  text: "Hi",
})

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
const json = async (response: Promise<Response>) => (await response).json() as Promise<any>

async function pages(path: string) {
  const items = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = await json(server.call("GET", `${path}limit=100${cursor && `&cursor=${cursor}`}`))
    items.push(...page.data)
    cursor = page.nextCursor
  }
  return items
}

describe("local mode", () => {
  it("prints its flags for --help, and starts no server", () => {
    const said = execFileSync("npm", ["run", "dev", "--", "--help"], { timeout: 120_000 })
    expect(String(said)).toContain("--fresh")
    expect(String(said)).not.toContain("Starting")
  })

  it("names an option that it does not have, and starts no server", () => {
    const command = ["run", "dev", "--", "--port", "9000"]
    const { status, stdout, stderr } = spawnSync("npm", command, { encoding: "utf8" })
    expect(status).toBe(1)
    expect(stderr).toContain("Unknown option '--port'\n\nnpm run dev -- [--fresh]")
    expect(stderr).not.toContain("node:internal")
    expect(stdout).not.toContain("Building")
  })

  it.each(["abc", "0", "65536", "80a"])("refuses the port %s, and starts no server", (PORT) => {
    const env = { ...process.env, PORT }
    const { status, stdout, stderr } = spawnSync("npm", ["run", "dev"], {
      encoding: "utf8",
      env,
      timeout: 120_000,
    })
    expect(status).toBe(1)
    expect(stderr).toContain(`PORT must be a number from 1 to 65535, not "${PORT}".`)
    expect(stderr).not.toContain("node:net")
    expect(stdout).not.toContain("Building")
  })

  it("says what it does, and prints the variables of the examples in one line", () => {
    const { baseUrl, apiKey } = server.credentials
    for (const step of ["Preparing the database", "Building the pages", "Starting the Worker"]) {
      expect(server.printed()).toContain(step)
    }
    const line = `export SVC_BASE_URL=${baseUrl} SVC_API_KEY=${apiKey} MAIL_FROM=hello@demo.test\n`
    expect(server.printed()).toContain(line)
  })

  it("writes credentials that work, for two teams", async () => {
    const { apiKey, sendingOnlyKey, other, teamId, dashboard, baseUrl } = server.credentials
    const me = (key: string) => json(server.call("GET", "/api/v1/me", undefined, key))
    expect((await me(apiKey)).team.id).toBe(teamId)
    expect((await me(apiKey)).key.permission).toBe("full")
    expect((await me(sendingOnlyKey)).key.permission).toBe("sending_only")
    expect((await me(other.apiKey)).team.id).toBe(other.teamId)
    expect(dashboard).toEqual({
      url: `${baseUrl}/dashboard`,
      email: expect.stringContaining("@"),
      password: expect.any(String),
    })
    const sent = await server.call(
      "POST",
      "/api/v1/emails",
      { ...message(0), from: "a@other.test" },
      other.apiKey,
    )
    expect(sent.status).toBe(201)
  })

  it("sends what is posted, and shows it sent and delivered", async () => {
    const { id } = await json(server.call("POST", "/api/v1/emails", message(0)))
    await eventually(async () => {
      const email = await json(server.call("GET", `/api/v1/emails/${id}`))
      expect(email.events.map(({ type }: { type: string }) => type)).toEqual(["sent", "delivered"])
    })
  })

  it("goes on where it was killed: each of a thousand emails once, and what webhooks missed", async () => {
    const { credentials } = server
    const accepted: string[] = []
    async function sendHundreds(batches: number) {
      for (let batch = 0; batch < batches; batch++) {
        const body = Array.from({ length: 100 }, (_, index) => message(index))
        const { data } = await json(server.call("POST", "/api/v1/emails/batch", body))
        accepted.push(...data.map(({ id }: { id: string }) => id))
      }
    }
    await sendHundreds(5)
    await server.kill()
    await server.start()
    expect(server.credentials).toEqual(credentials)
    await sendHundreds(5)
    const receiver = await receive()
    await receiver.send()
    await eventually(() => expect(receiver.heard).toHaveLength(1))
    receiver.isDown = true
    await receiver.send()
    await eventually(() => expect(receiver.held).toHaveLength(1))
    await server.kill()
    // The first one, as new, and without a message.
    server.execute(`update deliveries set state = 'pending', attempts = '[]',
      not_before = ${Date.now()}, due_at = ${Date.now() + 30_000} where state = 'succeeded'`)
    receiver.isDown = false
    await server.start()
    await eventually(() => expect(receiver.heard).toHaveLength(3))
    expect(new Set(receiver.heard).size).toBe(2)
    receiver.close()
    await vi.waitFor(
      async () => {
        const delivered = await pages("/api/v1/emails?status=delivered&")
        const ids = new Set(delivered.map(({ id }: { id: string }) => id))
        expect(accepted.filter((id) => !ids.has(id))).toEqual([])
      },
      { timeout: 150_000, interval: 2_000 },
    )
    const inbox = await pages("/api/v1/sandbox/messages?")
    const received = inbox.map(({ emailId }: { emailId: string }) => emailId)
    expect(received.filter((id: string) => accepted.includes(id)).sort()).toEqual(accepted.sort())
  }, 400_000)
})

/** A webhook of the other team, whose receiver may be down. */
async function receive() {
  const { apiKey } = server.credentials.other
  const held: ServerResponse[] = []
  const heard: string[] = []
  const http = createServer((request, response) => {
    if (receiver.isDown) return held.push(response)
    heard.push(String(request.headers["webhook-id"]))
    return response.end()
  }).listen(0, "127.0.0.1")
  await once(http, "listening")
  const receiver = {
    ...{ held, heard, isDown: false },
    send: () =>
      json(server.call("POST", "/api/v1/emails", { ...message(0), from: "a@other.test" }, apiKey)),
    close() {
      http.closeAllConnections()
      http.close()
    },
  }
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
  await json(server.call("POST", "/api/v1/webhooks", { url, events: ["email.sent"] }, apiKey))
  return receiver
}
