import { once } from "node:events"
import { createServer as createBackend } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"

const backend = createBackend(({ url }, reply) => reply.end(`the service: ${url}`))
let close = () => Promise.resolve()
let baseUrl = ""

/** What `npm run dashboard` starts. */
beforeAll(async () => {
  backend.listen(0)
  await once(backend, "listening")
  process.env.SVC_BASE_URL = `http://localhost:${(backend.address() as AddressInfo).port}`
  const { createServer } = await import("vite")
  const pages = await createServer({
    configFile: "src/dashboard/vite.config.ts",
    logLevel: "error",
    server: { port: 0 },
    optimizeDeps: { noDiscovery: true },
  })
  close = () => pages.close()
  await pages.listen()
  baseUrl = pages.resolvedUrls?.local[0] ?? ""
})

afterAll(async () => {
  await close()
  backend.close()
})

const get = async (path: string) => (await fetch(new URL(path, baseUrl))).text()

it("serves the source folder api itself", async () => {
  expect(await get("/dashboard/api/session.ts")).toContain("export const sessionEnded")
})

it("serves the script that chooses the theme before the first paint", async () => {
  const [path = ""] = /\/[^"]*first\.js/.exec(await get("/dashboard/")) ?? []
  expect(await get(path)).toContain("prefers-color-scheme")
})

it.each(["/dashboard/api/session", "/dashboard/api/emails?limit=100", "/dashboard/auth/methods"])(
  "hands %s to the service",
  async (path) => {
    expect(await get(path)).toBe(`the service: ${path}`)
  },
)
