import { expect, it } from "vitest"
import { request } from "../support/api.ts"

it("leads from the root to the dashboard", async () => {
  const { status, headers } = await request("GET", "/")
  expect([status, headers.get("location")]).toEqual([302, "/dashboard"])
})

it.each([
  ["/docs", "text/html"],
  ["/docs/", "text/html"],
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
  for (const path of ["/", "/docs", "/dashboard", "/favicon.ico"]) {
    const { status, headers } = await request("POST", path)
    expect([path, status, headers.get("allow")]).toEqual([path, 405, "GET, HEAD"])
  }
})
