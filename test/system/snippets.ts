import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./command.ts"

export interface Snippet {
  /** `outside` is not run, for its `reason`. */
  kind:
    | "run"
    | "until"
    | "code"
    | "settings"
    | "configuration"
    | "frames"
    | "unit"
    | "outside"
    | "unknown"
  text: string
  /** The language of the block. */
  language: string
  /** For `until`: the output after which the command has worked and is ended. */
  until?: string
  reason?: string
}

interface Rule extends Pick<Snippet, "kind" | "until" | "reason"> {
  pattern: RegExp
}

const outside = (pattern: RegExp, reason: string): Rule => ({ kind: "outside", pattern, reason })

/** The first rule that fits decides. A command that no rule fits fails the test. */
const COMMANDS: Rule[] = [
  outside(/^npm ci$/, "it would install"),
  outside(/^npm ci && npm run dev$/, "it would install; this test's server is npm run dev"),
  outside(/^npm ci && (npm run check && )?npm test$/, "it would run this test"),
  outside(/^git pull && npm ci && npm run deploy$/, "it needs an account at Cloudflare"),
  outside(/^npx wrangler (deploy|login|queues|secret|tail)\b/, "it needs an account at Cloudflare"),
  outside(/^npm run (deploy|team|destroy|erase) -- .*/, "it needs an account at Cloudflare"),
  outside(/^npm run databases\b/, "it needs an account at Cloudflare"),
  outside(
    /^npm run (backup|restore|dead-letters|rotate-keys) -- .*--remote/,
    "it needs an account at Cloudflare",
  ),
  outside(/^AWS_ACCESS_KEY_ID=.* npm run setup:ses$/s, "it needs an account at AWS"),
  outside(/^docker (build|run) /, "it needs a container engine and a registry"),
  outside(/^swaks /, "swaks may be missing; test/system/relay runs it where it is installed"),
  { kind: "until", pattern: /^SVC_BASE_URL=\S+ npm run relay$/, until: "listening" },
  { kind: "until", pattern: /^edgepost emails tail$/, until: '"delivered"' },
  { kind: "until", pattern: /^edgepost listen /, until: "whsec_" },
  { kind: "run", pattern: /^npm install --global https:\/\/mail\.example\.com\/edgepost\.tgz$/ },
  { kind: "run", pattern: /^npm install https:\/\/mail\.example\.com\/edgepost\.tgz$/ },
  { kind: "run", pattern: /^export SVC_API_KEY=\$\(node -p / },
  { kind: "run", pattern: /^curl (-\S+ ("[^"]*" )?)*"?http:\/\/localhost:8787\// },
  { kind: "run", pattern: /^(echo "[^"]*" \| )?edgepost (login|send) / },
  { kind: "run", pattern: /^edgepost (templates (pull|push)|doctor|whoami|check|emails)\b/ },
  { kind: "run", pattern: /^source <\(edgepost completion bash\)$/ },
  outside(/^\S+_API_KEY=sk_\.\.\. edgepost import plunk/, "it needs a project at Plunk"),
  outside(/ edgepost import listmonk https:\/\/lists\./, "it needs a listmonk"),
  { kind: "run", pattern: /^RESEND_API_KEY=re_\.\.\. edgepost import resend/ },
  { kind: "run", pattern: /^(aws sesv2|tail -n) .* edgepost suppressions add /s },
]

/** The blocks that are no commands, by language and content. */
const BLOCKS: [language: RegExp, Rule][] = [
  [/^(js|ts|jsx|tsx)$/, { kind: "code", pattern: /./ }],
  [/^json$/, { kind: "configuration", pattern: /mcpServers/ }],
  [/^json$/, outside(/"discoveryUrl"/, "it needs a provider of OpenID Connect")],
  [/^ini$/, { kind: "unit", pattern: /^\[Unit\]/ }],
  [/^ini$/, { kind: "settings", pattern: /^([A-Z_]+=\S+\n)+$/ }],
  [/^text$/, { kind: "frames", pattern: /^: connected\n/ }],
  [/^$/, outside(/^ command-line\/ /, "it is a drawing of the folders")],
  [/^text$/, outside(/^Edgepost is running\./, "it is what npm run dev prints")],
  [/^yaml$/, outside(/job_name: edgepost|alert: Edgepost/, "it is for Prometheus")],
  [/^toml$/, outside(/^(\[observability|BASE_URL = )/, "it needs an account at Cloudflare")],
  [/^html$/, outside(/^<form /, "it is for a page of another site")],
  [/^md$/, outside(/deploy\.workers\.cloudflare\.com/, "it needs an account at Cloudflare")],
]

/** Every document for people. */
export const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  "docs/examples/README.md",
  "src/client/README.md",
  "src/relay/README.md",
]

export const textOf = (document: string) => readFileSync(join(root, document), "utf8")

export const snippetsOf = (document: string): Snippet[] => snippetsIn(textOf(document))

/** The commands of the `sh` blocks, and the other blocks whole. */
export function snippetsIn(markdown: string): Snippet[] {
  const blocks = [...markdown.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)]
  const fences = markdown.match(/^\s*```/gm)?.length ?? 0
  if (fences !== 2 * blocks.length) throw new Error("A block is indented or not closed")
  return blocks.flatMap(([, language = "", text = ""]): Snippet[] =>
    language === "sh"
      ? commandsIn(text).map((command) => classify(command, language, COMMANDS))
      : [
          classify(
            text,
            language,
            BLOCKS.flatMap(([one, rule]) => (one.test(language) ? [rule] : [])),
          ),
        ],
  )
}

function classify(text: string, language: string, rules: Rule[]): Snippet {
  const rule = rules.find(({ pattern }) => pattern.test(text))
  const { pattern: _, ...known } = rule ?? { kind: "unknown", pattern: "" }
  return { ...known, text, language }
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
