import { describe, expect, it } from "vitest"
import { callId } from "../../src/reference/reference.ts"
import { endpoints } from "../../src/worker/contract.ts"
import { ERROR_STATUS } from "../../src/worker/platform/http/errors.ts"
import { request } from "../support/api.ts"

const { body: markdown } = await request("GET", "/docs.md")
const { body: llms } = await request("GET", "/llms.txt")
const { body: page } = await request("GET", "/docs")

/** The text without code. */
const prose = (markdown as string).replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "")

describe("the reference as Markdown", () => {
  it("has every call with its members and an example", () => {
    for (const { method, path, summary } of endpoints) {
      const [, article = ""] = markdown.split(`### ${summary}\n\n\`${method} /api/v1${path}\`\n`)
      expect([path, article.split("\n### ")[0]]).toEqual([path, expect.stringContaining("```sh")])
    }
    expect(markdown).toContain("- `from` (string, required, up to 320 characters): ")
    expect(markdown).toContain("  - `filename` (string, required")
  })

  it("has the texts of the page, and no markup of it", () => {
    for (const [, title] of page.matchAll(/<h2 id="[^"]+"><a href="[^"]+">([^<]+)<\/a>/g)) {
      expect(markdown).toContain(`## ${title.replaceAll("&#39;", "'")}\n`)
    }
    for (const code of Object.keys(ERROR_STATUS)) expect(markdown).toContain(`| \`${code}\` | `)
    expect(prose).not.toMatch(/<\/?[a-z]|(?<!received )undefined|\[object/)
  })

  it("closes every fence and links with whole addresses", () => {
    expect(markdown.match(/^```/gm).length % 2).toBe(0)
    const links = [...prose.matchAll(/\]\(([^)]*)\)/g)].map(([, href]) => href)
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter((href) => !href?.startsWith("http"))).toEqual([])
  })
})

describe("llms.txt", () => {
  const lines = llms.split("\n")

  it("has a title, a summary and lists of links, as llmstxt.org asks", () => {
    expect(lines[0]).toBe("# Edgepost")
    expect(lines[2]).toMatch(/^> \S/)
    const below = lines.slice(lines.indexOf("## Reference")).filter(Boolean)
    for (const line of below) expect(line).toMatch(/^(## \S|- \[[^\]]+\]\(https?:[^)]+\)(: .+)?$)/)
    expect(below.filter((line: string) => line.startsWith("## "))).toEqual([
      "## Reference",
      "## Start",
      "## API",
      "## Guides",
    ])
  })

  it("names every call, and links only to existing sections", () => {
    for (const { method, path } of endpoints) expect(llms).toContain(`${method} /api/v1${path}`)
    expect(llms).not.toContain("/dashboard/")
    const anchors = [...llms.matchAll(/\/docs#([^)]+)\)/g)].map(([, id]) => id)
    expect(anchors.length).toBeGreaterThan(30)
    for (const id of anchors) expect(page).toContain(` id="${id}"`)
    expect(page).toContain(`id="${callId(endpoints[0]!)}"`)
  })
})
