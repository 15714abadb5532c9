import { env } from "cloudflare:workers"
import { expect, it } from "vitest"
import { callId } from "../../src/reference/reference.ts"
import { dashboardEndpoints, endpoints } from "../../src/worker/contract.ts"
import type { Env } from "../../src/worker/platform/env.ts"
import type { Endpoint } from "../../src/worker/platform/http/endpoint.ts"
import { ERROR_STATUS } from "../../src/worker/platform/http/errors.ts"
import { exampleTimeAhead } from "../../src/worker/platform/http/example.ts"
import { createOpenApi } from "../../src/worker/platform/http/openapi/openapi.ts"
import { MAILBOXES } from "../../src/worker/providers/sandbox/mailboxes.ts"
import { EVENT_TYPES } from "../../src/worker/webhooks/events/types.ts"
import { request } from "../support/api.ts"

const { body: page, headers } = await request("GET", "/docs")
const articleOf = (one: Endpoint) =>
  page.split(`id="${callId(one)}"`)[1]?.split("</article>")[0] ?? ""
const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)

it("runs and loads its own files only", async () => {
  expect(headers.get("content-type")).toMatch("text/html")
  const policy = headers.get("content-security-policy")
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
  expect(policy).not.toMatch("unsafe")
  expect(page).not.toMatch(/<(style|img|iframe)\b|\s(on[a-z]+|style)=|@import|url\(|<script>/)
  const files = [...page.matchAll(/<(?:link|script)\b[^>]* (?:href|src)="([^"]+)"/g)].map(
    ([, path]) => path!,
  )
  expect(files.filter((path) => path.startsWith("/docs/assets/"))).toHaveLength(3)
  for (const path of files) {
    const file = await request("GET", path)
    expect([path, file.status]).toEqual([path, 200])
    if (!path.startsWith("/docs/assets/")) continue
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
  }
})

it("has every call of the API, and none that only the dashboard makes", () => {
  for (const one of endpoints) {
    expect(ids).toContain(callId(one))
    const article = articleOf(one)
    expect(article).toContain(`>${one.method}</span> `)
    expect(article.replaceAll("<wbr>", "")).toContain(`<code>/api/v1${one.path}</code>`)
  }
  for (const one of dashboardEndpoints) expect(ids).not.toContain(callId(one))
  expect(page).not.toContain("/dashboard/")
})

it("shows a refusal beside the reply of every call of the API that can refuse", () => {
  for (const one of endpoints) {
    if (["me", "stats", "stream"].includes(one.name)) continue
    expect([one.name, articleOf(one).includes(`aria-label="Refusal: `)]).toEqual([one.name, true])
  }
})

it("has the configured origin and times ahead in its examples", () => {
  expect(page).toContain(`${(env as Env).BASE_URL}/api/v1/emails`)
  expect(page).toContain(exampleTimeAhead())
  expect(page).not.toMatch(/edgepost\.invalid|\{\{time/)
})

it("has every named schema, once", () => {
  const { components } = createOpenApi(endpoints, "https://example.com") as {
    components: { schemas: object }
  }
  for (const name of Object.keys(components.schemas)) expect(ids).toContain(`schema-${name}`)
})

it("has every code, event and mailbox", () => {
  for (const name of Object.keys({ ...ERROR_STATUS, ...MAILBOXES })) {
    expect(page).toContain(`<td><code>${name}</code></td>`)
  }
  for (const type of EVENT_TYPES) expect(page).toContain(`<td><code>${type}</code></td>`)
})

it("has each id once, and links only to existing ids", () => {
  expect(ids).toEqual([...new Set(ids)])
  const targets = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  expect(targets.length).toBeGreaterThan(200)
  for (const target of new Set(targets)) {
    if (target?.startsWith("/")) continue
    expect(ids).toContain(target?.replace("#", ""))
  }
})

it("shows nothing that could be a secret", () => {
  expect(page).not.toMatch(/svc_live_[A-Za-z0-9_-]{9,}|whsec_[A-Za-z0-9]/)
})

it("closes each tag, nests no links and has no undefined value", () => {
  const open: string[] = []
  const tags = page.slice(page.indexOf("<html")).matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)
  for (const [, slash, name = ""] of tags) {
    if (["meta", "wbr", "link", "input", "path", "rect"].includes(name)) continue
    if (slash) expect(open.pop()).toBe(name)
    else {
      if (name === "a") expect(open).not.toContain("a")
      if (["p", "h3", "h4"].includes(name)) expect(open).not.toContain("p")
      open.push(name)
    }
  }
  expect(open).toEqual([])
  expect(page).not.toMatch(/(?<!received )undefined|\[object|\bNaN/)
})
