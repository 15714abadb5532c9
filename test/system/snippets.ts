import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { ENTRY, root, start } from "./command.ts"
import type { DevServer } from "./dev-server.ts"

export interface Snippet {
  /** `outside` is not run, for the reason that its rule gives. */
  kind: "run" | "until" | "configuration" | "unit" | "outside" | "unknown"
  text: string
  /** For `until`: the output after which the command has worked and is ended. */
  until?: string
}

interface Rule extends Pick<Snippet, "kind" | "until"> {
  pattern: RegExp
}

const outside = (pattern: RegExp, _reason: string): Rule => ({ kind: "outside", pattern })

/** The first rule that fits decides. A command that no rule fits fails the test. */
const RULES: Rule[] = [
  outside(/^npm ci && npm run dev$/, "it would install; this test's server is npm run dev"),
  outside(/^npm ci && npm test$/, "it would run this test"),
  outside(/^npx wrangler (login|queues|secret)\b/, "it needs an account at Cloudflare"),
  outside(/^npm run (deploy|team) -- .*/, "it needs an account at Cloudflare"),
  outside(/^AWS_ACCESS_KEY_ID=.* npm run setup:ses$/s, "it needs an account at AWS"),
  outside(/^docker (build|run) /, "it needs a container engine and a registry"),
  outside(/^swaks /, "swaks may be missing; test/system/relay runs it where it is installed"),
  { kind: "until", pattern: /^SVC_BASE_URL=\S+ npm run relay$/, until: "listening" },
  { kind: "until", pattern: /^npx edgepost emails tail$/, until: '"delivered"' },
  { kind: "run", pattern: /^export SVC_API_KEY=\$\(node -p / },
  { kind: "run", pattern: /^curl (-\S+ ("[^"]*" )?)*"?http:\/\/localhost:8787\// },
  { kind: "run", pattern: /^(echo "[^"]*" \| )?npx edgepost (login|send) / },
  { kind: "run", pattern: /^npx edgepost (templates (pull|push)|doctor)\b/ },
  { kind: "run", pattern: /^source <\(npx edgepost completion bash\)$/ },
]

export const snippetsOf = (document: string): Snippet[] =>
  snippetsIn(readFileSync(join(root, document), "utf8"))

/** The commands of the `sh` blocks, and the other blocks whole. */
export function snippetsIn(markdown: string): Snippet[] {
  const blocks = [...markdown.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, language, text = ""]): Snippet[] => {
    if (language === "sh") return commandsIn(text).map(classify)
    if (language === "json" && text.includes("mcpServers")) return [{ kind: "configuration", text }]
    if (language === "ini" && text.startsWith("[Unit]")) return [{ kind: "unit", text }]
    return [{ kind: "unknown", text }]
  })
}

function classify(text: string): Snippet {
  const rule = RULES.find(({ pattern }) => pattern.test(text))
  if (!rule) return { kind: "unknown", text }
  return { kind: rule.kind, text, ...(rule.until && { until: rule.until }) }
}

/** A command ends where bash would run it: its quotes are closed, and no line is continued. */
function commandsIn(block: string): string[] {
  const commands: string[] = []
  let open = ""
  for (const line of block.split("\n")) {
    open = open ? `${open}\n${line}` : line
    if (!open.trim()) open = ""
    else if (!line.endsWith("\\") && isSyntax(open)) {
      commands.push(open.trim())
      open = ""
    }
  }
  if (open) throw new Error(`A command does not end: ${open}`)
  return commands
}

const isSyntax = (text: string) => spawnSync("bash", ["-n"], { input: text }).status === 0

interface Place {
  server: DevServer
  folder: string
  env: Record<string, string | undefined>
}

export interface Outcome {
  code: number | null
  output: string
}

/** A command that the API refuses ends with 0, too, where curl made the call. */
export const isDone = ({ code, output }: Outcome) => code === 0 && !output.includes('"error":')

export async function runSnippet(snippet: Snippet, place: Place): Promise<Outcome> {
  const { kind, text } = snippet
  if (kind === "configuration") return connect(text, place.server)
  if (kind === "outside" || kind === "unit") return { code: 0, output: checkNames(text) }
  return runInShell(snippet, place)
}

/** The newest email of a snippet stands for `em_…` in those below. */
let lastEmail = ""

async function runInShell({ text, until }: Snippet, place: Place): Promise<Outcome> {
  const { server, folder, env } = place
  const { apiKey, baseUrl } = server.credentials
  mkdirSync(join(folder, ".dev"), { recursive: true })
  writeFileSync(join(folder, ".dev/credentials.json"), JSON.stringify(server.credentials))
  mkdirSync(join(folder, "templates/letter"), { recursive: true })
  writeFileSync(join(folder, "templates/letter/template.json"), '{"name":"Letter","subject":"Hi"}')
  writeFileSync(join(folder, "templates/letter/body.html"), "<p>Hi</p>")
  const here = text
    .replaceAll("http://localhost:8787", baseUrl)
    .replaceAll("https://mail.example.com", baseUrl)
    .replaceAll("hello@example.com", "hello@demo.test")
    .replaceAll("em_…", lastEmail)
    .replace(/\bnpx edgepost\b/g, `"${process.execPath}" "${ENTRY}"`)
    .replace(/\bnpm run\b/g, `npm run --prefix "${root}"`)
  const isLogin = text.startsWith("export SVC_API_KEY")
  const script = isLogin ? `${here}\necho "$SVC_API_KEY"` : here
  const ports = { SMTP_PORT: "0", SMTPS_PORT: "0", RELAY_HEALTH_PORT: "0" }
  const forCurl = text.startsWith("curl") ? { SVC_API_KEY: apiKey } : {}
  const running = start("bash", ["-euo", "pipefail", "-c", script], {
    cwd: folder,
    env: { ...env, ...ports, ...forCurl },
    input: apiKey,
  })
  if (until) {
    const nudge = setInterval(() => void server.call("POST", "/api/v1/emails", NUDGE), 1_000)
    await running.printed(until.replaceAll('"', "")).finally(() => clearInterval(nudge))
    running.stop()
    await running.done
    return { code: 0, output: "" }
  }
  const { code, out, err } = await running.done
  if (isLogin && out.trim() !== apiKey) return { code: 1, output: `Not the key: ${out}` }
  lastEmail = /em_[0-9A-Z]{26}/.exec(out)?.[0] ?? lastEmail
  return { code, output: out + (code === 0 ? "" : err) }
}

const NUDGE = {
  from: "a@demo.test",
  to: "success@simulator.amazonses.com",
  subject: "Hi",
  text: "Hi",
}

async function connect(text: string, server: DevServer): Promise<Outcome> {
  const { baseUrl, apiKey } = server.credentials
  const [entry] = Object.values(JSON.parse(text).mcpServers) as {
    type: string
    url: string
    headers: Record<string, string>
  }[]
  if (entry?.type !== "http") return { code: 1, output: "Not over http" }
  const headers = JSON.parse(JSON.stringify(entry.headers).replace("svc_live_…", apiKey))
  const url = new URL(new URL(entry.url).pathname, baseUrl)
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  const { tools } = await client.listTools()
  await client.close()
  return { code: tools.length > 0 ? 0 : 1, output: "" }
}

/** Scripts, files, settings and options that a command names must exist. Throws otherwise. */
export function checkNames(text: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  for (const [, name = ""] of text.matchAll(/\bnpm run ([\w:-]+)/g)) {
    if (!scripts[name]) throw new Error(`There is no script ${name}`)
  }
  for (const [path] of text.matchAll(/\bsrc\/[\w/.-]+/g)) {
    if (!existsSync(join(root, path))) throw new Error(`There is no file ${path}`)
  }
  const settings = ["src/env.ts", "src/relay/settings.ts", "src/cli/setup-ses.ts"]
    .map((path) => readFileSync(join(root, path), "utf8"))
    .join("\n")
  for (const [, name = ""] of text.matchAll(/(?<![\w$])([A-Z]+(?:_[A-Z]+)+)=/g)) {
    if (!new RegExp(`\\b${name}\\b`).test(settings)) throw new Error(`There is no setting ${name}`)
  }
  const [, words] = /^npx wrangler ((?:[a-z][a-z-]* ?)+)/.exec(text) ?? []
  if (words) checkWrangler(words.trim().split(" "), text)
  return ""
}

function checkWrangler(words: string[], text: string): void {
  const commands = words.filter((word) => !word.startsWith("edgepost"))
  const help = execFileSync("npx", ["wrangler", ...commands, "--help"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  })
  if (!help.includes(`wrangler ${commands.join(" ")}`)) throw new Error(`No command: ${words}`)
  for (const [flag] of text.matchAll(/(?<=\s)--[\w-]+/g)) {
    if (!help.includes(flag)) throw new Error(`wrangler ${commands.join(" ")} has no ${flag}`)
  }
}
