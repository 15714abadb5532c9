import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { newWebhookSecret } from "../../src/lib/webhook-signature.ts"
import { readContents } from "../../src/reference/contents.ts"
import { toMarkdown } from "../../src/reference/markdown.ts"
import { delivery, EVENT, SECRET } from "./signing.ts"

type Receive = (request: Request) => Promise<Response> | Response

interface Snippet {
  POST: Receive
  app: {
    fetch: Receive
    listen(port: number): { address(): AddressInfo; close(): void }
  }
}

// Inside the project, where the frameworks are found.
const folder = fileURLToPath(new URL("../../dist/receivers/", import.meta.url))
const servers: { close(): void }[] = []
const reference = toMarkdown(readContents("https://mail.test"), "https://mail.test")

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  vi.stubEnv("WEBHOOK_SECRET", SECRET)
})
afterAll(() => {
  vi.unstubAllEnvs()
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})
const log = vi.spyOn(console, "log").mockImplementation(() => {})
beforeEach(() => {
  log.mockClear()
})

/** The code that the reference shows, imported as it stands. */
async function importShown(name: string): Promise<Snippet> {
  const [, shown = ""] = reference.split(`\n${name}:\n\n\`\`\`js\n`)
  const code = shown.slice(0, shown.indexOf("\n```"))
  const file = `${folder}${name}.mjs`
  writeFileSync(file, code)
  return import(file)
}

const FRAMEWORKS: Record<string, (snippet: Snippet) => Receive> = {
  Hono: ({ app }) => app.fetch,
  "Next.js": ({ POST }) => POST,
  Express: ({ app }) => {
    const server = app.listen(0)
    servers.push(server)
    return async (request) => {
      const { port } = server.address()
      const { method, headers } = request
      const body = await request.arrayBuffer()
      return fetch(`http://127.0.0.1:${port}/hooks/edgepost`, { method, headers, body })
    }
  },
}

it.each(Object.entries(FRAMEWORKS))(
  "the receiver for %s runs as it is shown",
  async (name, open) => {
    const receive = open(await importShown(name))
    expect((await receive(delivery())).status).toBe(200)
    expect(log.mock.calls).toEqual([[EVENT.id, EVENT.data.email.to]])
    expect((await receive(delivery({ ...EVENT, type: "email.sent" }))).status).toBe(200)
    expect((await receive(delivery(EVENT, { secret: newWebhookSecret() }))).status).toBe(401)
    expect((await receive(delivery(EVENT, { now: Date.now() - 302_000 }))).status).toBe(401)
    expect(log).toHaveBeenCalledTimes(1)
    vi.spyOn(console, "error").mockImplementation(() => {})
    expect((await receive(delivery({ ...EVENT, data: {} }))).status).toBe(500)
    const large = { ...EVENT, padding: "x".repeat(2 * 1024 * 1024) }
    expect((await receive(delivery(large))).status).toBe(413)
  },
)
