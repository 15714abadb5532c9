import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import type { Env } from "../../src/worker/platform/env.ts"
import { BASE_URL as ASKED_URL, request } from "../support/api.ts"

it("leads from the root to the dashboard", async () => {
  const { status, headers } = await request("GET", "/")
  expect([status, headers.get("location")]).toEqual([302, "/dashboard"])
})

it.each([
  ["/docs", "text/html"],
  ["/docs/", "text/html"],
  ["/docs.md", "text/markdown"],
  ["/llms.txt", "text/plain"],
  ["/dashboard", "text/html"],
  ["/dashboard/", "text/html"],
  ["/dashboard/recipients/ada%40example.com", "text/html"],
  ["/dashboard/recipients/ada@example.com", "text/html"],
  ["/favicon.ico", "image/svg+xml"],
  ["/health", "application/json"],
  ["/api/v1/openapi.json", "application/json"],
])("%s answers GET and HEAD as %s", async (path, type) => {
  const page = await request("GET", path)
  expect(page.status).toBe(200)
  expect(page.headers.get("content-type")).toMatch(type)
  expect(page.headers.get("x-request-id")).toBeTruthy()
  expect(page.body).not.toBe("")
  const head = await request("HEAD", path)
  expect([head.status, head.body]).toEqual([200, ""])
})

it("refuses other methods", async () => {
  for (const path of ["/", "/docs", "/docs.md", "/llms.txt", "/dashboard", "/favicon.ico"]) {
    const { status, headers } = await request("POST", path)
    expect([path, status, headers.get("allow")]).toEqual([path, 405, "GET, HEAD"])
  }
})

it.each(["/docs", "/docs.md", "/llms.txt", "/api/v1/openapi.json"])(
  "%s is sent again only when it has changed",
  async (path) => {
    const { headers } = await request("GET", path)
    const etag = headers.get("etag")!
    expect(etag).toMatch(/^W\/"[0-9a-f]+-\d{4}-\d\d-\d\d"$/)
    expect(headers.get("cache-control")).toBe("public, no-cache")
    const again = await request("GET", path, undefined, { "if-none-match": etag })
    expect([again.status, again.body]).toEqual([304, ""])
    expect(again.headers.get("etag")).toBe(etag)
    const other = await request("GET", path, undefined, { "if-none-match": 'W/"other"' })
    expect(other.status).toBe(200)
  },
)

it("names the configured host, whatever host was asked", async () => {
  const { body } = await request("GET", "/docs.md")
  expect(body).toContain(`${(env as Env).BASE_URL}/api/v1`)
  expect(body).not.toContain(ASKED_URL)
})

it("announces the other forms of the reference", async () => {
  const { headers } = await request("GET", "/docs")
  expect(headers.get("link")).toContain('</docs.md>; rel="alternate"; type="text/markdown"')
  expect(headers.get("link")).toContain("</llms.txt>")
})

it("serves only the files of the build", async () => {
  for (const path of ["/docs/index.html", "/docs/reference.md", "/docs/assets/none.js"]) {
    expect([path, (await request("GET", path)).status]).toEqual([path, 404])
  }
})
