import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { sharedServer } from "./shared-server.ts"
import { DOCUMENTS, textOf } from "./snippets.ts"

const project = mkdtempSync(join(tmpdir(), "edgepost-own-package-"))
const server = sharedServer()
afterAll(() => {
  rmSync(project, { recursive: true, force: true })
})

it("an installation serves its own client library and command", async () => {
  const { baseUrl, apiKey } = server.credentials
  const url = `${baseUrl}/edgepost.tgz`
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }')
  execFileSync("npm", ["install", "--silent", "--fetch-retries=0", url], { cwd: project })
  const code = `import { Edgepost } from "edgepost"
    console.log((await new Edgepost().me()).team.name)`
  const env = { ...process.env, SVC_API_KEY: apiKey, SVC_BASE_URL: baseUrl }
  const options = { cwd: project, env, encoding: "utf8" } as const
  const printed = execFileSync(process.execPath, ["--eval", code], options)
  expect(printed).toBe("Demo\n")
  expect(execFileSync("npx", ["edgepost", "whoami", "--json"], options)).toContain('"Demo"')

  const { headers } = await fetch(url)
  expect(headers.get("cache-control")).toBe("public, no-cache")
  const etag = headers.get("etag") as string
  expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304)
})

it.each(DOCUMENTS)("%s names no package of a registry", (document) => {
  const text = textOf(document).replace("`npx edgepost` alone", "")
  expect(text).not.toMatch(/npx edgepost|npm (i|install|add)( -\S+)* edgepost\b/)
})
