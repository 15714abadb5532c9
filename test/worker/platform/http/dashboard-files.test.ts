import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { dashboardFiles } from "../../../../src/worker/platform/http/pages/dashboard-files.ts"
import type { HttpEnv } from "../../../../src/worker/platform/http/route.ts"

const PAGE = "/dashboard/"
const FILES = [PAGE, "/dashboard/first.js", "/dashboard/assets/index.js"]

const ASSETS = {
  fetch: async (url: URL) =>
    new Response(url.pathname, { status: FILES.includes(url.pathname) ? 200 : 404 }),
}

async function ask(path: string) {
  const app = new Hono<HttpEnv>()
  dashboardFiles(app)
  return app.request(path, {}, { ASSETS })
}

async function get(path: string) {
  const response = await ask(path)
  return response.ok ? await response.text() : response.status
}

describe("the dashboard's files", () => {
  it.each(["", "/emails", "/recipients/ada%40example.com", "/recipients/a.b%40example.com"])(
    "answer the page at %s",
    async (path) => expect(await get(`/dashboard${path}`)).toBe(PAGE),
  )

  it("are found by their names, and a missing one is not the page", async () => {
    expect(await get("/dashboard/first.js")).toBe("/dashboard/first.js")
    expect(await get("/dashboard/assets/index.js")).toBe("/dashboard/assets/index.js")
    expect(await get("/dashboard/assets/old.js")).toBe(404)
  })

  it("have a page for mail with its images, which runs and sends nothing", async () => {
    const response = await ask("/dashboard/mail-with-images")
    const policy = response.headers.get("content-security-policy")
    expect(policy).toContain("default-src 'none'; img-src https: http: data:")
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).not.toMatch(/script-src|connect-src|form-action|allow-(scripts|forms)/)
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
  })
})
