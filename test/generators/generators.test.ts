import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openApiText } from "../../src/reference/document.ts"

const BIN = fileURLToPath(new URL("node_modules/.bin", import.meta.url))
const directory = mkdtempSync(join(tmpdir(), "edgepost-openapi-"))
const at = (name: string) => join(directory, name)

beforeAll(() => writeFileSync(at("openapi.json"), openApiText("https://mail.edgepost.test")))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Runs in the Node of the tests, whichever is installed; answers all that the tool says. */
function run(tool: string, args: string[]): string {
  const command = [join(BIN, tool), ...args]
  const { status, output } = spawnSync(process.execPath, command, {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  })
  const said = output.join("")
  expect(status, said).toBe(0)
  return said
}

function typeCheck(name: string, code: string): string {
  writeFileSync(at(`${name}.ts`), code)
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--lib",
    "es2024,dom,dom.iterable",
    "--skipLibCheck",
  ]
  const modules = ["--module", "esnext", "--moduleResolution", "bundler"]
  return run("tsc", [...options, ...modules, at(`${name}.ts`)])
}

const MESSAGE = `{ from: "hello@demo.test", to: "ada@example.com", subject: "Hi", text: "Hi" }`
const WITHOUT_TO = `{ from: "hello@demo.test", subject: "Hi", text: "Hi" }`

it("Spectral finds nothing to warn of", () => {
  writeFileSync(at("ruleset.json"), JSON.stringify({ extends: ["spectral:oas"] }))
  const rules = ["--ruleset", at("ruleset.json"), "--fail-severity", "hint"]
  expect(run("spectral", ["lint", ...rules, at("openapi.json")])).toContain("No results")
})

it("Redocly finds nothing to warn of", () => {
  const said = run("redocly", ["lint", at("openapi.json"), "--format=json"])
  const { totals, problems } = JSON.parse(said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1))
  expect(problems).toEqual([])
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 })
})

it("openapi-typescript makes types that fit a send", () => {
  run("openapi-typescript", [at("openapi.json"), "-o", at("types.d.ts")])
  typeCheck(
    "openapi-typescript",
    `import type { operations, webhooks } from "./types.d.ts"
type Send = operations["emails.send"]
export const body: Send["requestBody"]["content"]["application/json"] = ${MESSAGE}
// @ts-expect-error: a recipient is required
export const wrong: Send["requestBody"]["content"]["application/json"] = ${WITHOUT_TO}
export const idOf = (reply: Send["responses"][201]["content"]["application/json"]): string => reply.id
type Bounced = webhooks["email.bounced"]["post"]["requestBody"]["content"]["application/json"]
export const typeOf = (event: Bounced): "email.bounced" => event.type
`,
  )
})

it("hey-api makes a client that sends", () => {
  run("openapi-ts", ["-i", at("openapi.json"), "-o", at("hey-api")])
  typeCheck(
    "hey-api-send",
    `import { emailsSend } from "./hey-api"
export async function send(): Promise<string | undefined> {
  // @ts-expect-error: a recipient is required
  void (() => emailsSend({ body: ${WITHOUT_TO} }))
  const { data } = await emailsSend({ auth: "svc_live_key", body: ${MESSAGE} })
  return data?.id
}
`,
  )
})

it("orval makes a client that sends", () => {
  run("orval", [
    "--input",
    at("openapi.json"),
    "--output",
    at("orval/client.ts"),
    "--client",
    "fetch",
  ])
  typeCheck(
    "orval-send",
    `import { emailsSend } from "./orval/client"
export async function send(): Promise<string | undefined> {
  // @ts-expect-error: a recipient is required
  void (() => emailsSend(${WITHOUT_TO}))
  const reply = await emailsSend(${MESSAGE})
  return reply.status === 201 ? reply.data.id : undefined
}
`,
  )
})
