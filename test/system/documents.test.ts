import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { Edgepost } from "../../src/client/index.ts"
import { newWebhookSecret, signedHeaders } from "../../src/lib/webhook-signature.ts"
import { dashboardEndpoints, endpoints } from "../../src/worker/contract.ts"
import { root } from "./command.ts"
import { type DevServer, startDevServer } from "./dev-server.ts"
import {
  complaintsAbout,
  makeCodeFolder,
  removeCodeFolder,
  wholeCode,
  writeCode,
} from "./snippet-code.ts"
import { checkNames, isSetting } from "./snippet-names.ts"
import { isDone, runSnippet } from "./snippet-runs.ts"
import { DOCUMENTS, type Snippet, snippetsIn, snippetsOf, textOf } from "./snippets.ts"

const folder = mkdtempSync(join(tmpdir(), "edgepost-reader-"))
const codeFolder = makeCodeFolder()
const SECRET = newWebhookSecret()
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  EDGEPOST_CONFIG: join(folder, "config.json"),
  NO_COLOR: "1",
  npm_config_prefix: join(folder, "global"),
  npm_config_audit: "false",
  // npm looks for the optional peers of the package, and installs it without an answer, too.
  npm_config_fetch_retries: "0",
}
let server: DevServer
beforeAll(async () => {
  server = await startDevServer()
  const { apiKey, baseUrl } = server.credentials
  vi.stubEnv("SVC_API_KEY", apiKey)
  vi.stubEnv("SVC_BASE_URL", baseUrl)
  vi.stubEnv("WEBHOOK_SECRET", SECRET)
  const login = { kind: "run", language: "sh", text: `edgepost login ${baseUrl}` } as const
  expect(await runSnippet(login, { server, folder, env })).toSatisfy(isDone)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server?.dispose()
  rmSync(folder, { recursive: true, force: true })
  removeCodeFolder(codeFolder)
})

it("a snippet that no rule knows, or that names what does not exist, is noticed", () => {
  const kindOf = (markdown: string) => snippetsIn(markdown).map(({ kind }) => kind)
  expect(kindOf("```sh\nedgepost emails tail\n\nedgepost fly\n```")).toEqual(["until", "unknown"])
  expect(kindOf("```yaml\na: 1\n```\n\n```\ntext\n```\n\n```json\n{}\n```")).toEqual([
    "unknown",
    "unknown",
    "unknown",
  ])
  expect(() => kindOf("- a\n  ```sh\n  npm ci\n  ```")).toThrow("indented")
  for (const text of [
    "npm run fly",
    "docker build -f src/relay/No .",
    "SMTP_FLY_PORT=1 npm run relay",
  ]) {
    expect(() => checkNames(text)).toThrow("There is no")
  }
  expect(() => checkNames("npx wrangler queues create edgepost-a --fly")).toThrow("has no --fly")
})

describe.each(DOCUMENTS)("what %s shows", (document) => {
  const snippets = snippetsOf(document)

  it("is known to this test, whole", () => {
    expect(snippets.filter(({ kind }) => kind === "unknown").map(({ text }) => text)).toEqual([])
  })

  it("names scripts, settings and documents that there are", () => {
    const text = textOf(document).replace(/^```[\s\S]*?^```$/gm, "")
    for (const [, inline = ""] of text.matchAll(/`([^`\n]+)`/g)) {
      checkNames(inline)
      const setting = /^([A-Z]+(?:_[A-Z]+)+)(=|$)/.exec(inline)?.[1]
      if (setting) expect([setting, isSetting(setting)]).toEqual([setting, true])
    }
    for (const [, href = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|\/docs)/.test(href)) continue
      const [path = "", anchor] = href.split("#")
      const file = path ? join(dirname(document), path) : document
      expect([href, existsSync(join(root, file))]).toEqual([href, true])
      if (anchor) expect(anchorsOf(file)).toContain(anchor)
    }
  })

  it("names calls and sections of the reference that there are", async () => {
    const text = textOf(document)
    const calls = text.matchAll(
      /\b(GET|POST|PATCH|DELETE) (\/(?:api\/v1|dashboard\/api)\/[^`\s?]+)/g,
    )
    for (const [call] of calls) expect(CALLS).toContain(call)
    const page = await (await fetch(`${server.credentials.baseUrl}/docs`)).text()
    for (const [, id] of text.matchAll(/\/docs#([\w.-]*\w)/g)) expect(page).toContain(` id="${id}"`)
  })

  const commands = snippets.filter(({ kind }) => kind !== "code")
  it.each(commands.map((snippet) => [titleOf(snippet), snippet] as const))(
    "%s",
    async (_title, snippet) => {
      expect(await runSnippet(snippet, { server, folder, env })).toSatisfy(isDone)
    },
  )
})

it("the guide to moving names methods of the client library that there are", () => {
  const client = new Edgepost({ apiKey: "svc_live_x", baseUrl: "https://mail.test" })
  const rows = textOf("docs/moving.md")
    .split("\n")
    .filter((line) => line.startsWith("| "))
  const named = rows.flatMap((row) => [
    ...(row.split("|")[2] ?? "").matchAll(/(?:edgepost\.)?\b(\w+)\.(\w+)\(/g),
  ])
  expect(named.length).toBeGreaterThan(15)
  for (const [text, resource = "", method = ""] of named) {
    const known = (client as unknown as Record<string, Record<string, unknown>>)[resource]
    expect([text, typeof known?.[method]]).toEqual([text, "function"])
  }
})

const CALLS = [
  ...endpoints.map(({ method, path }) => `${method} /api/v1${path}`),
  ...dashboardEndpoints.map(({ method, path }) => `${method} /dashboard/api${path}`),
]

const titleOf = ({ kind, reason, text }: Snippet) =>
  `${kind}: ${text.split("\n", 1)[0]}${reason ? ` (${reason})` : ""}`

/** The anchors that a reader of the repository finds at a document's headings. */
const anchorsOf = (document: string) =>
  [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  )

const codes = DOCUMENTS.flatMap((document) =>
  snippetsOf(document)
    .filter(({ kind }) => kind === "code")
    .map((snippet, index) => [`${document} ${index + 1}`, snippet] as const),
)
const fileName = (name: string) => name.replace(/\W+/g, "-")

describe("the code that the documents show", () => {
  it("is taken by the compiler, which takes no other", () => {
    expect(codes.length).toBeGreaterThan(5)
    for (const [name, snippet] of codes) {
      writeCode(codeFolder, fileName(name), snippet.language, wholeCode(snippet))
    }
    expect(complaintsAbout(codeFolder)).toBe("")
    const wrong = { language: "ts", text: "await edgepost.emails.fly()" }
    const file = writeCode(codeFolder, "wrong", "ts", wholeCode(wrong))
    expect(complaintsAbout(codeFolder)).toContain("wrong.ts")
    rmSync(file)
  }, 120_000)

  it.each(codes)("%s runs", async (name, snippet) => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {})
    const stop = new AbortController()
    vi.stubGlobal("stopSnippet", stop.signal)
    const code = wholeCode(snippet).replace(".stream()", ".stream({ signal: stopSnippet })")
    const file = writeCode(codeFolder, `${fileName(name)}-run`, snippet.language, code)
    const running = import(file)
    if (code.includes("stopSnippet")) {
      await expect
        .poll(
          async () => {
            await server.call("POST", "/api/v1/emails", MESSAGE)
            return log.mock.calls.length
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThan(0)
      stop.abort()
      await running.catch(() => undefined)
    } else {
      await receive(await running, snippet)
    }
    log.mockRestore()
    vi.unstubAllGlobals()
  })
})

const MESSAGE = {
  from: "a@demo.test",
  to: "success@simulator.amazonses.com",
  subject: "Hi",
  text: "Hi",
}

/** A receiver takes a signed event, and no other. */
async function receive(
  { POST }: { POST?(request: Request): Promise<Response> },
  { text }: Snippet,
) {
  if (!text.includes("export const POST")) return
  const event = { id: "evt_1", type: "email.bounced", data: { email: { to: [] }, event: {} } }
  const body = JSON.stringify(event)
  const ask = (secret: string) =>
    POST!(
      new Request("https://receiver.test/", {
        method: "POST",
        headers: signedHeaders([secret], { id: "evt_1", sequence: 1 }, body, Date.now()),
        body,
      }),
    )
  expect((await ask(SECRET)).status).toBe(200)
  expect((await ask(newWebhookSecret())).status).toBe(401)
  expect(console.log).toHaveBeenCalledTimes(1)
}
