export interface Code {
  /** The tab's name: "curl", "Node.js". */
  name: string
  code: string
}

export interface AsRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below `/api/v1`. */
  path: string
  json?: unknown
  /** The same call in the client library: `edgepost.emails.get("em_…")`. */
  library: string
}

type Write = (request: AsRequest, url: string, key: string | undefined) => string

/** `origin` is the installation's. Without a key, all read it from SVC_API_KEY. */
export const requestCodes = (request: AsRequest, origin: string, key?: string): Code[] => [
  ...Object.entries(WRITERS).map(([name, write]) => ({
    name,
    code: write(request, `${origin}/api/v1${request.path}`, key),
  })),
  ...smtpCodes(request, new URL(origin), key),
]

const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`)
const text = (value: string) => JSON.stringify(value)
/** For a POSIX shell. */
const quote = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`
const lines = (...parts: (string | false)[]) =>
  `${parts.filter((one) => one !== false).join("\n")}\n`

/** A curl before 7.82 does not know `--json`. */
const curl: Write = ({ method, json }, url, key) =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${url}"`,
    `  -H "authorization: Bearer ${key ?? "$SVC_API_KEY"}"`,
    ...(json === undefined ? [] : [`  -d ${quote(JSON.stringify(json, null, 2))}`]),
  ].join(" \\\n")

const node: Write = ({ library }, url, key) =>
  lines(
    `import { Edgepost } from "edgepost"`,
    "",
    `const edgepost = new Edgepost({ ${key ? `apiKey: "${key}", ` : ""}baseUrl: "${new URL(url).origin}" })`,
    library,
  )

const python: Write = ({ method, json }, url, key) =>
  lines(
    !key && "import os",
    "import urllib.error",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${text(url)},`,
    `    method=${text(method)},`,
    "    headers={",
    `        "authorization": "Bearer " + ${key ? text(key) : 'os.environ["SVC_API_KEY"]'},`,
    '        "content-type": "application/json",',
    "    },",
    json !== undefined && `    data=${raw(JSON.stringify(json, null, 2))}.encode(),`,
    ")",
    "try:",
    "    with urllib.request.urlopen(request) as reply:",
    "        print(reply.status, reply.read().decode())",
    "except urllib.error.HTTPError as refusal:",
    "    print(refusal.code, refusal.read().decode())",
  )

/** A text of Python. Most stay as they are. */
const raw = (value: string) => (value.includes("'''") ? text(value) : `r'''${value}'''`)

/** A text of PHP in single quotes. */
const single = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

/** Without curl, which is an extension. */
const php: Write = ({ method, json }, url, key) =>
  lines(
    "<?php",
    "$context = stream_context_create(['http' => [",
    `    'method' => ${single(method)},`,
    "    'header' => [",
    `        'authorization: Bearer ' . ${key ? single(key) : "getenv('SVC_API_KEY')"},`,
    "        'content-type: application/json',",
    "    ],",
    json !== undefined && `    'content' => ${single(JSON.stringify(json, null, 2))},`,
    "    'ignore_errors' => true, // A refusal has a body, too.",
    "]]);",
    `echo file_get_contents(${single(url)}, false, $context), "\n";`,
  )

/** A text of Go, which spans lines if it can. */
function backquoted(json: unknown): string {
  const pretty = JSON.stringify(json, null, 2)
  return pretty.includes("`") ? text(pretty) : `\`${pretty}\``
}

const go: Write = ({ method, json }, url, key) => {
  const body = json === undefined ? "nil" : `strings.NewReader(${backquoted(json)})`
  return lines(
    "package main",
    "",
    "import (",
    '\t"fmt"',
    '\t"io"',
    '\t"net/http"',
    !key && '\t"os"',
    json !== undefined && '\t"strings"',
    ")",
    "",
    "func main() {",
    `\trequest, err := http.NewRequest(${text(method)}, ${text(url)}, ${body})`,
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    `\trequest.Header.Set("authorization", "Bearer "+${key ? text(key) : 'os.Getenv("SVC_API_KEY")'})`,
    '\trequest.Header.Set("content-type", "application/json")',
    "\treply, err := http.DefaultClient.Do(request)",
    "\tif err != nil {",
    "\t\tpanic(err)",
    "\t}",
    "\tdefer reply.Body.Close()",
    "\tbody, _ := io.ReadAll(reply.Body)",
    "\tfmt.Println(reply.Status, string(body))",
    "}",
  )
}

const ruby: Write = ({ method, json }, url, key) =>
  lines(
    'require "net/http"',
    "",
    `uri = URI(${text(url)})`,
    `request = Net::HTTP::${method.charAt(0)}${method.slice(1).toLowerCase()}.new(uri)`,
    `request["authorization"] = "Bearer " + ${key ? text(key) : 'ENV.fetch("SVC_API_KEY")'}`,
    'request["content-type"] = "application/json"',
    json !== undefined &&
      `request.body = <<~'JSON'\n  ${indent(JSON.stringify(json, null, 2), "  ")}\nJSON`,
    'reply = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }',
    "puts reply.code, reply.body",
  )

const WRITERS: Record<string, Write> = {
  curl,
  "Node.js": node,
  Python: python,
  PHP: php,
  Go: go,
  Ruby: ruby,
}

/** A text of a form's field: curl knows no other escapes. */
const formText = (value: string) => `"${value.replaceAll(/["\\]/g, "\\$&")}"`

const MAIL = ["from", "to", "subject", "html"] as const
type Mail = Record<(typeof MAIL)[number], string>

const isMail = (json: unknown): json is Mail =>
  MAIL.every((name) => typeof (json as Partial<Mail> | undefined)?.[name] === "string")

const addressIn = (mailbox: string) => /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox

/** An email over the SMTP relay, which takes the key as the password. */
function smtpCodes({ path, json }: AsRequest, { hostname }: URL, key: string | undefined): Code[] {
  if (path !== "/emails" || !isMail(json)) return []
  const { from, to, subject, html } = json
  // A relay on this machine signs its own certificate.
  const tls = hostname === "localhost" ? "--ssl-reqd --insecure" : "--ssl-reqd"
  const code = [
    `curl ${tls} "smtp://\${SMTP_RELAY:-localhost:2587}"`,
    `  --user "edgepost:${key ?? "$SVC_API_KEY"}"`,
    `  --mail-from ${quote(addressIn(from))} --mail-rcpt ${quote(addressIn(to))}`,
    ...[`From: ${from}`, `To: ${to}`, `Subject: ${subject}`].map((line) => `  -H ${quote(line)}`),
    `  -F ${quote(`=${formText(html)};type=text/html;charset=utf-8`)}`,
  ]
  return [{ name: "SMTP", code: code.join(" \\\n") }]
}
