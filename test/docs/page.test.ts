import { expect, it } from "vitest"
import { dashboardEndpoints, endpoints } from "../../src/contract.ts"
import { callId } from "../../src/docs/reference.ts"
import { EVENT_TYPES } from "../../src/events/types.ts"
import { ERROR_STATUS } from "../../src/http/errors.ts"
import { openApi } from "../../src/http/openapi.ts"
import { MAILBOXES } from "../../src/providers/sandbox/mailboxes.ts"
import { request } from "../support/api.ts"

const { body: page, headers } = await request("GET", "/docs")
const all = [...endpoints, ...dashboardEndpoints]
const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)

it("is one page that loads nothing and runs nothing", () => {
  expect(headers.get("content-type")).toMatch("text/html")
  expect(headers.get("content-security-policy")).toMatch("default-src 'none'")
  expect(page).not.toMatch(/<(script|link|img|iframe)\b|\son[a-z]+=|@import|url\(/)
})

it("has every call, those of the dashboard too", () => {
  for (const one of all) {
    expect(ids).toContain(callId(one))
    const article = page.split(`id="${callId(one)}"`)[1]?.split("</article>")[0] ?? ""
    expect(article.replaceAll("<wbr>", "")).toContain(`</span> <code>${one.path}</code>`)
  }
})

it("has every named schema, once", () => {
  const { components } = openApi(all, "https://example.com") as {
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

it("names no id twice, and links to none that is not there", () => {
  expect(ids).toEqual([...new Set(ids)])
  const targets = [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  expect(targets.length).toBeGreaterThan(200)
  for (const target of new Set(targets)) {
    if (target === "/api/v1/openapi.json") continue
    expect(ids).toContain(target?.replace("#", ""))
  }
})

it("shows nothing that could be a secret", () => {
  expect(page).not.toMatch(/svc_live_[A-Za-z0-9_-]{9,}|whsec_[A-Za-z0-9]/)
})

it("leaves no tag open, no link in a link and no value undefined", () => {
  const open: string[] = []
  const tags = page.slice(page.indexOf("<html")).matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)
  for (const [, slash, name = ""] of tags) {
    if (["meta", "wbr"].includes(name)) continue
    if (slash) expect(open.pop()).toBe(name)
    else {
      if (name === "a") expect(open).not.toContain("a")
      if (["p", "h3", "h4"].includes(name)) expect(open).not.toContain("p")
      open.push(name)
    }
  }
  expect(open).toEqual([])
  expect(page).not.toMatch(/undefined|\[object|NaN/)
})
