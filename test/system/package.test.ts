import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { json, startServer } from "../client/server.ts"
import { EVENT, headersOf, SECRET } from "../client/signing.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const project = mkdtempSync(join(tmpdir(), "edgepost-package-"))
const installed = join(project, "node_modules/edgepost")
const npm = (args: string[]) =>
  execFileSync("npm", [...args, "--silent"], { cwd: project, encoding: "utf8" })
const run = promisify(execFile)

beforeAll(() => {
  execFileSync(process.execPath, [join(root, "src/operations/pack.ts")], { cwd: root })
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }')
  npm(["install", "--offline", join(root, "dist/edgepost.tgz")])
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const code = (name: string) => readFileSync(join(installed, name), "utf8")
/** A file of the package with those that it imports. */
const bundle = (name: string) =>
  [...code(name).matchAll(/from "\.\/([^"]+)"/g)].map(([, file]) => code(file!)).join("") +
  code(name)

it("installs nothing else", () => {
  const names = readdirSync(join(project, "node_modules"))
  expect(names.filter((name) => !name.startsWith("."))).toEqual(["edgepost"])
  expect(JSON.parse(code("package.json"))).not.toHaveProperty("dependencies")
})

it("has its license, its readme and the version that the client tells", () => {
  expect(code("LICENSE")).toContain("MIT License")
  expect(code("README.md")).toContain("# edgepost")
  const { version } = JSON.parse(code("package.json"))
  expect(code("index.js")).toContain(`"${version}"`)
})

it("the main entry is at most 12.5 KB gzipped, its stream included", () => {
  expect(gzipSync(bundle("index.js")).length).toBeLessThan(12_500)
})

it("asks for React in edgepost/react alone", () => {
  for (const name of ["index.js", "webhooks.js"]) {
    expect(bundle(name)).not.toMatch(/(from|import|require)\W*["']react/)
  }
  expect(code("react.js")).toMatch(/from "react-dom\/server"/)
})

it("uses nothing that Node 20 or Workers lack", () => {
  for (const name of ["index.js", "webhooks.js", "react.js"]) {
    expect(bundle(name)).not.toMatch(/withResolvers|URL\.parse|Promise\.try|["']node:|\brequire\(/)
  }
})

const CONSUMER = `
declare const process: { env: Record<string, string | undefined> }
import { type Email, Edgepost, EdgepostError, type WebhookEvent } from "edgepost"
import { createWebhookHandler, verifyWebhook } from "edgepost/webhooks"

const client = new Edgepost({ apiKey: "svc_live_x", baseUrl: "https://mail.test" })
const input = { from: "a@demo.test", to: ["b@example.com"], subject: "Hi", text: "Hi" }
export async function use(): Promise<string[]> {
  const { id } = await client.emails.send(input, { idempotencyKey: "k", signal: AbortSignal.timeout(1) })
  const { data, response } = await client.withResponse(client.me())
  const found: Email[] = []
  for await (const email of client.emails.iterate({ status: "bounced", limit: 10 })) found.push(email)
  for await (const change of client.stream({ lastEventId: 4 })) {
    const { sequence } = change
    if (change.type === "email") await client.emails.get(change.id)
    // @ts-expect-error: a reset has no id
    if (change.type === "reset") change.id
    if (sequence > 4) break
  }
  const gone: undefined = await client.webhooks.remove("wh_1")
  // @ts-expect-error: a recipient is required
  await client.emails.send({ from: "a@demo.test", subject: "Hi", text: "Hi" })
  // @ts-expect-error: a body is required
  await client.emails.send({ from: "a@demo.test", to: "b@example.com", subject: "Hi" })
  const file = { filename: "a.txt", content: new Uint8Array([1]) }
  await client.emails.send({ ...input, attachments: [file], scheduledAt: new Date() })
  await client.contacts.list("cb_1", { subscribed: true })
  for await (const { id } of client.domains.iterate()) await client.domains.remove(id)
  // @ts-expect-error: no such permission
  await client.apiKeys.create({ name: "CI", permission: "all" })
  const checked = await client.emails.check({ ...input, react: {} })
  return [id, data.team.name, response.statusText, String(gone), String(checked.wouldSend)]
}
export const POST: (request: Request) => Promise<Response> = createWebhookHandler({
  secret: ["a", "b"],
  on: {
    "email.clicked": ({ data }) => data.event.url,
    "email.delivered": async ({ data }) => ("test" in data ? data.test : data.email.status),
    "domain.failed": ({ data }) => data.domain.name,
    "campaign.completed": ({ data: { campaign } }) => campaign.counts.delivered,
    // @ts-expect-error: a contact's event has no email
    "contact.created": ({ data }) => data.email,
  },
})
export const verify = (headers: Record<string, string>, body: string): Promise<WebhookEvent> =>
  verifyWebhook({ headers, body }, process.env.WEBHOOK_SECRET, { toleranceSeconds: 60, now: Date.now })
export const codeOf = (error: unknown) => (error instanceof EdgepostError ? error.code : null)
`

it.each(["nodenext", "bundler"])("its types hold in a strict project: %s", (resolution) => {
  const isNode = resolution === "nodenext"
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
    module: isNode ? "nodenext" : "esnext",
    moduleResolution: resolution,
  }
  const config = join(project, `tsconfig.${resolution}.json`)
  writeFileSync(join(project, "consumer.ts"), `${CONSUMER}import "edgepost/react"\n`)
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const said = tryRun(() =>
    execFileSync(process.execPath, [tsc, "-p", config], { encoding: "utf8" }),
  )
  expect(said).toBe("")
})

function tryRun(work: () => string): string {
  try {
    return work()
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout)
  }
}

const SCRIPT = `
import { Edgepost, EdgepostError } from "edgepost"
import { createWebhookHandler } from "edgepost/webhooks"

const client = new Edgepost()
const input = { from: "a@demo.test", to: "b@example.com", subject: "Hi", text: "Hi" }
const { id } = await client.emails.send(input, { idempotencyKey: "k" })
const refused = await client.emails.get("em_2").catch((error) => error)
const stream = client.stream()
await stream.connected
const { value } = await stream.next()
await stream.return()
const { headers, body } = JSON.parse(process.env.DELIVERY)
const receive = createWebhookHandler({ secret: process.env.WEBHOOK_SECRET, on: {} })
const { status } = await receive(new Request("https://a.test/", { method: "POST", headers, body }))
const missing = await import("edgepost/react").catch(({ code }) => code)
console.log(JSON.stringify([id, refused instanceof EdgepostError, refused.code, value, status, missing]))
`

describe.each([20, 22, 24])("in Node %i", (major) => {
  it("a script that sends, follows the stream and receives a webhook works", async () => {
    const node = nodeOf(major)
    expect(execFileSync(node, ["--version"], { encoding: "utf8" })).toMatch(`v${major}.`)
    writeFileSync(join(project, "script.js"), SCRIPT)
    const { asked, baseUrl } = await startServer(
      json(503, {}, { "retry-after": "0" }),
      json(201, { id: "em_1" }),
      json(404, { error: { code: "not_found", message: "No." } }),
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(
          ': connected\n\nid: 1\nevent: change\ndata: {"type":"email","id":"em_1"}\n\n',
        )
      },
    )
    const body = JSON.stringify(EVENT)
    const DELIVERY = JSON.stringify({ headers: headersOf(body), body })
    const settings = { SVC_API_KEY: "svc_live_x", SVC_BASE_URL: baseUrl, WEBHOOK_SECRET: SECRET }
    const env = { ...process.env, ...settings, DELIVERY }
    const { stdout, stderr } = await run(node, ["script.js"], { cwd: project, env })
    expect(stderr).toBe("")
    const change = { type: "email", id: "em_1", sequence: 1 }
    expect(JSON.parse(stdout)).toEqual([
      "em_1",
      true,
      "not_found",
      change,
      200,
      "ERR_MODULE_NOT_FOUND",
    ])
    expect(asked).toHaveLength(4)
    expect(asked[1]?.headers["user-agent"]).toMatch(/^edgepost\/\d+\.\d+\.\d+$/)
  })
})

/** The Node of the tests, or one from the registry. */
function nodeOf(major: number): string {
  if (process.version.startsWith(`v${major}.`)) return process.execPath
  const platform = process.platform === "win32" ? "win" : process.platform
  const isRenamed = platform === "darwin" && process.arch === "arm64"
  const name = `${isRenamed ? "node-bin" : "node"}-${platform}-${process.arch}`
  const folder = join(project, `node-${major}`)
  npm(["install", "--prefix", folder, `${name}@${major}`])
  return join(folder, `node_modules/${name}/bin/node${platform === "win" ? ".exe" : ""}`)
}
