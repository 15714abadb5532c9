import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Resend } from "resend"
import { ENTRY, root, start } from "./command.ts"
import type { Connection } from "./dev-server.ts"
import { checkNames } from "./snippet-names.ts"
import type { Snippet } from "./snippets.ts"

export interface Place {
  server: Connection
  /** Where a person would type the commands. */
  folder: string
  env: Record<string, string | undefined>
}

export interface Outcome {
  code: number | null
  output: string
}

/** A command that the API refuses ends with 0, too, where curl made the call. */
export const isDone = ({ code, output }: Outcome) => code === 0 && !output.includes('"error":')

const done = (isGood = true, output = ""): Outcome => ({ code: isGood ? 0 : 1, output })

export async function runSnippet(snippet: Snippet, place: Place): Promise<Outcome> {
  const { kind, text } = snippet
  if (kind === "configuration") return connect(text, place.server)
  if (kind === "settings") return sendByResend(text, place.server)
  if (kind === "frames") return compareFrames(text, place.server)
  if (kind === "run" || kind === "until") return runInShell(snippet, place)
  checkNames(text)
  return done()
}

/** The newest email of a snippet stands for `em_…` in those below. */
let lastEmail = ""

async function runInShell({ text, until }: Snippet, place: Place): Promise<Outcome> {
  const { server, folder, env } = place
  const { apiKey, baseUrl } = server.credentials
  prepare(place)
  if (text.includes("import resend")) await fillOther(server)
  const isLogin = text.startsWith("export SVC_API_KEY")
  const here = inThisPlace(text, server)
  const script = isLogin ? `${here}\necho "$SVC_API_KEY"` : here
  const ports = { SMTP_PORT: "0", SMTPS_PORT: "0", RELAY_HEALTH_PORT: "0" }
  const forCurl = text.startsWith("curl") ? { SVC_API_KEY: apiKey } : {}
  const forImport = { RESEND_BASE_URL: `${baseUrl.replace("localhost", "127.0.0.1")}/resend` }
  const running = start("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: { ...env, ...ports, ...forCurl, ...forImport, PATH: `${join(folder, "bin")}:${env.PATH}` },
    input: apiKey,
  })
  if (until) {
    const nudge = setInterval(() => void server.call("POST", "/api/v1/emails", NUDGE), 1_000)
    await running.printed(until.replaceAll('"', "")).finally(() => clearInterval(nudge))
    running.stop()
    await running.done
    return done()
  }
  const { code, out, err } = await running.done
  if (isLogin && out.trim() !== apiKey) return done(false, `Not the key: ${out}`)
  lastEmail = /em_[0-9A-Z]{26}/.exec(out)?.[0] ?? lastEmail
  return { code, output: out + (code === 0 ? "" : err) }
}

/** The command with this installation's addresses and keys. Another team stands in for Resend. */
const inThisPlace = (text: string, { credentials }: Connection) =>
  text
    .replaceAll("http://localhost:8787", credentials.baseUrl)
    .replaceAll("https://mail.example.com", credentials.baseUrl)
    .replaceAll("hello@example.com", "hello@demo.test")
    .replaceAll("re_...", credentials.other.apiKey)
    .replaceAll("em_…", lastEmail)
    .replace(/\bnpm run\b/g, `npm run --prefix "${root}"`)

/** The files that the commands read, this checkout's command, and a stand-in for that of AWS. */
function prepare({ server, folder }: Place): void {
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write(".dev/credentials.json", JSON.stringify(server.credentials))
  write("templates/letter/template.json", '{"name":"Letter","subject":"Hi"}')
  write("templates/letter/body.html", "<p>Hi</p>")
  write("bounces.csv", "status,reason,email,created\n5.1.1,unknown,gone@example.com,1700000000\n")
  write("bin/aws", "#!/bin/sh\nprintf 'from-ses@example.com\\n'\n")
  write("bin/edgepost", `#!/bin/sh\nexec "${process.execPath}" "${ENTRY}" "$@"\n`)
  for (const command of ["aws", "edgepost"]) chmodSync(join(folder, "bin", command), 0o755)
}

/** What a team that moves from Resend has there. Its domain is not proven here by another team. */
async function fillOther({ call, credentials: { other } }: Connection): Promise<void> {
  const ask = (method: string, path: string, body?: unknown) =>
    call(method, `/api/v1${path}`, body, other.apiKey)
  const { data } = (await (await ask("GET", "/domains")).json()) as { data: { id: string }[] }
  for (const { id } of data) await ask("DELETE", `/domains/${id}`)
  await ask("POST", "/suppressions", { email: "gone@example.org" })
}

const NUDGE = {
  from: "a@demo.test",
  to: "success@simulator.amazonses.com",
  subject: "Hi",
  text: "Hi",
}

async function connect(text: string, server: Connection): Promise<Outcome> {
  const { baseUrl, apiKey } = server.credentials
  const [entry] = Object.values(JSON.parse(text).mcpServers) as {
    type: string
    url: string
    headers: Record<string, string>
  }[]
  if (entry?.type !== "http") return done(false, "Not over http")
  const headers = JSON.parse(JSON.stringify(entry.headers).replace("svc_live_…", apiKey))
  const url = new URL(new URL(entry.url).pathname, baseUrl)
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  const { tools } = await client.listTools()
  await client.close()
  return done(tools.length > 0)
}

/** The package of Resend sends with these settings. */
async function sendByResend(text: string, server: Connection): Promise<Outcome> {
  const { baseUrl, apiKey } = server.credentials
  const here = inThisPlace(text, server).replace("svc_live_...", apiKey)
  const settings = Object.fromEntries(
    here
      .trim()
      .split("\n")
      .map((line) => line.split("=", 2)),
  )
  if (settings.RESEND_BASE_URL !== `${baseUrl}/resend`) return done(false, "Another address")
  const resend = new Resend(settings.RESEND_API_KEY, { baseUrl: settings.RESEND_BASE_URL })
  const { data, error } = await resend.emails.send({ ...NUDGE, to: [NUDGE.to] })
  return done(/^em_/.test(data?.id ?? ""), JSON.stringify(error))
}

/** Ids and numbers differ from stream to stream. */
const shapeOf = (frames: string) =>
  frames
    .trim()
    .replace(/^id: \d+$/gm, "id: 1")
    .replace(/em_[^"]+/g, "em_")

/** The stream must begin as the document shows it. */
async function compareFrames(text: string, server: Connection): Promise<Outcome> {
  const stop = new AbortController()
  const { baseUrl, apiKey } = server.credentials
  const { body } = await fetch(`${baseUrl}/api/v1/stream`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: stop.signal,
  })
  await server.call("POST", "/api/v1/emails", NUDGE)
  let got = ""
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    got += part
    if (/^data: .*\n\n/m.test(got)) break
  }
  stop.abort()
  const shown = shapeOf(text)
  return done(shapeOf(got).startsWith(shown), `${got}\nis not\n${text}`)
}
