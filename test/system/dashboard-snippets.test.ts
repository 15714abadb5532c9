import { execFile, execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { verifyCodes } from "../../src/dashboard/pages/webhooks/verify-codes.ts"
import { type AsRequest, requestCodes } from "../../src/dashboard/ui/request/request-codes.ts"
import { newWebhookSecret, signedHeaders } from "../../src/lib/webhook-signature.ts"
import { type RelayProcess, startRelay } from "../relay/relay-process.ts"
import { hasProgram } from "../support/program.ts"
import { root } from "./command.ts"
import { sharedServer } from "./shared-server.ts"

const SECRET = newWebhookSecret()
/** Where a person would paste the snippets. */
const project = mkdtempSync(join(tmpdir(), "edgepost-pasted-"))

const server = sharedServer()
let relay: RelayProcess
beforeAll(async () => {
  relay = await startRelay(server.credentials.baseUrl)
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }')
  const library = `${server.credentials.baseUrl}/edgepost.tgz`
  execFileSync("npm", ["install", "--silent", "--fetch-retries=0", library], { cwd: project })
  const standard = "node_modules/standardwebhooks"
  symlinkSync(join(root, standard), join(project, standard))
  vi.stubEnv("EDGEPOST_WEBHOOK_SECRET", SECRET)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await relay?.kill()
  rmSync(project, { recursive: true, force: true })
})

const NODE = process.execPath

const LANGUAGES = [
  { name: "curl", file: "curl.sh", program: "bash" },
  { name: "Node.js", file: "snippet.js", program: NODE },
  { name: "Python", file: "snippet.py", program: "python3" },
  { name: "PHP", file: "snippet.php", program: "php", debian: "php-cli" },
  { name: "Go", file: "snippet.go", program: "go", debian: "golang-go", version: "version" },
  { name: "Ruby", file: "snippet.rb", program: "ruby" },
  { name: "SMTP", file: "smtp.sh", program: "bash" },
]

/** Runs what a person has pasted. Without a key in it, the shell has one. */
async function paste(name: string, request: AsRequest, key?: string): Promise<string> {
  const { file = "", program = "" } = LANGUAGES.find((one) => one.name === name) ?? {}
  const { baseUrl, apiKey } = server.credentials
  const code = requestCodes(request, baseUrl, key).find((one) => one.name === name)?.code ?? ""
  writeFileSync(join(project, file), code)
  const { SVC_API_KEY: _, ...shell } = process.env
  const { stdout } = await promisify(execFile)(program, [...(name === "Go" ? ["run"] : []), file], {
    cwd: project,
    env: {
      ...shell,
      ...(key === undefined && { SVC_API_KEY: apiKey }),
      SMTP_RELAY: `localhost:${relay.smtp}`,
      GOCACHE: join(project, "go"),
    },
  })
  return stdout
}

const send = (json: object): AsRequest => ({
  method: "POST",
  path: "/emails",
  json,
  library: `await edgepost.emails.send(${JSON.stringify(json, null, 2)})`,
})

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
async function call(method: string, path: string, body?: unknown): Promise<any> {
  return (await server.call(method, `/api/v1${path}`, body)).json()
}

let addresses = 0
const newAddress = () => `reader-${++addresses}@example.com`

async function received(to: string) {
  const { data } = await call("GET", `/sandbox/messages?to=${to}&wait=20`)
  return data[0]
}

/** Each language escapes some of these in a way of its own. */
const HARD = `It's "so" 100 % \\n \${HOME} #{1} \`id\` '''x''' $y <b> é 🙂`

describe.each(LANGUAGES)("$name", ({ name, program, debian = program, version = "--version" }) => {
  const isThere = hasProgram(program, { debian, version })

  it.runIf(isThere)("sends with the key that was made for it", async () => {
    const to = newAddress()
    const json = { from: "Acme <hello@demo.test>", to, subject: "It works", html: "<p>Hi</p>" }
    await paste(name, send(json), server.credentials.sendingOnlyKey)
    expect(await received(to)).toMatchObject({ subject: "It works" })
  })

  it.runIf(isThere)("sends every character as it is", async () => {
    const to = newAddress()
    await paste(name, send({ from: "hello@demo.test", to, subject: HARD, html: HARD }))
    const { subject, html } = await received(to)
    expect([subject, html.trim()]).toEqual([HARD, HARD])
  })

  // SMTP only sends.
  if (name === "SMTP") return

  it.runIf(isThere)("reads, changes and deletes", async () => {
    const { id } = await call("POST", "/contact-books", { name: "Readers" })
    const path = `/contact-books/${id}`
    const json = { name: "Subscribers" }
    const get = `console.log(await edgepost.contactBooks.get("${id}"))`
    const update = `await edgepost.contactBooks.update("${id}", ${JSON.stringify(json)})`
    const remove = `await edgepost.contactBooks.remove("${id}")`
    expect(await paste(name, { method: "GET", path, library: get })).toContain("Readers")
    await paste(name, { method: "PATCH", path, json, library: update })
    expect(await call("GET", path)).toMatchObject(json)
    await paste(name, { method: "DELETE", path, library: remove })
    expect(await call("GET", path)).toMatchObject({ error: { code: "not_found" } })
  })

  it.runIf(isThere)("prints a refusal", async () => {
    const printed = await paste(name, send({ from: "hello@demo.test" })).catch(
      ({ stderr }) => stderr,
    )
    expect(printed).toContain("validation_error")
  })
})

describe.each(verifyCodes())("the $name snippet of webhooks", ({ name, code }) => {
  const delivery = (secret: string) => {
    const event = { id: "evt_1", type: "email.bounced", data: { email: { to: [] }, event: {} } }
    const body = JSON.stringify(event)
    const headers = signedHeaders([secret], { id: event.id, sequence: 1 }, body, Date.now())
    return new Request("https://receiver.test/", { method: "POST", headers, body })
  }

  it("takes signed events only", async () => {
    const file = join(project, `${name.replaceAll(" ", "-")}.ts`)
    writeFileSync(file, code)
    const { POST } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      POST(request: Request): Promise<Response>
    }
    const isTaken = async (secret: string) => {
      const reply = await POST(delivery(secret)).catch(() => null)
      return reply?.status === 200
    }
    expect(await isTaken(SECRET)).toBe(true)
    expect(await isTaken(newWebhookSecret())).toBe(false)
  })
})
