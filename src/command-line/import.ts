import { type Command, InvalidArgumentError } from "commander"
import { createGet, type Get } from "./import/api.ts"
import { listmonkSource } from "./import/listmonk.ts"
import { plunkSource } from "./import/plunk.ts"
import { importFrom, type Report, type Source } from "./import/report.ts"
import { resendSource } from "./import/resend.ts"
import { createResendApi } from "./import/resend-api.ts"
import { readSecret } from "./session/login.ts"
import { createSession, type Session } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { Failed, UsageError } from "./terminal/failure.ts"
import { clean, toTable } from "./terminal/paint.ts"
import type { Terminal } from "./terminal/terminal.ts"

interface Options {
  dryRun?: boolean
  only?: string[]
  properties?: boolean
  rate: number
}

const FAILURES_SHOWN = 20

export function addImport(program: Command, terminal: Terminal): void {
  const group = program.command("import").description("Bring records over from another service")
  addResend(group, terminal)
  addListmonk(group, terminal)
  addPlunk(group, terminal)
}

const AGAIN =
  "Who has unsubscribed stays so. Run it again at any time: contacts that are here keep their\n" +
  "names and properties, and lose consent that was withdrawn there. Templates get the content\n" +
  "that they have there."

function addResend(group: Command, terminal: Terminal): void {
  const command = withOptions(group.command("resend"), "domains,templates,suppressions,contacts", 2)
    .summary("bring domains, templates, contacts and suppressions over from Resend")
    .description(
      "Bring domains, templates, contacts and suppressions over from Resend.\n" +
        "RESEND_API_KEY holds a key with full access; without it the key is asked for. Segments become\n" +
        `contact books. ${AGAIN}`,
    )
    .option("--properties", "read the properties of each contact, one request a contact")
    .action((options: Options) =>
      run(command, terminal, options, {
        service: "Resend",
        secret: { variable: "RESEND_API_KEY", name: "Resend API key" },
        baseUrl: terminal.env.RESEND_BASE_URL || "https://api.resend.com",
        writtenAs: "RESEND_BASE_URL",
        toSource: (get) =>
          resendSource(createResendApi(get), { withProperties: Boolean(options.properties) }),
      }),
    )
  withExamples(
    command,
    "edgepost import resend --dry-run",
    "edgepost import resend --only contacts,suppressions",
  )
}

function addListmonk(group: Command, terminal: Terminal): void {
  const command = withOptions(
    group.command("listmonk <url>"),
    "templates,suppressions,contacts",
    20,
  )
    .summary("bring lists, subscribers, templates and the blocklist over from listmonk")
    .description(
      "Bring lists, subscribers, transactional templates and the blocklist over from listmonk.\n" +
        "LISTMONK_USER and LISTMONK_TOKEN hold an API user that may read lists, subscribers and\n" +
        "templates; without the token it is asked for. Lists become contact books. Subscriptions that\n" +
        `were never confirmed to lists with double opt-in are none here. ${AGAIN}`,
    )
    .action((url: string, options: Options) => {
      const user = terminal.env.LISTMONK_USER?.trim()
      if (!user) throw new UsageError("LISTMONK_USER must name the API user of listmonk.")
      if (!/^https?:\/\//.test(url)) throw new UsageError(`${url} is not the URL of listmonk.`)
      return run(command, terminal, options, {
        service: "listmonk",
        secret: { variable: "LISTMONK_TOKEN", name: "listmonk API token" },
        authorize: (token) => `token ${user}:${token}`,
        baseUrl: url,
        writtenAs: "The URL",
        toSource: listmonkSource,
      })
    })
  withExamples(command, "edgepost import listmonk https://lists.example.com --dry-run")
}

function addPlunk(group: Command, terminal: Terminal): void {
  const command = withOptions(group.command("plunk"), "templates,contacts", 5)
    .summary("bring contacts and templates over from Plunk")
    .description(
      "Bring contacts and templates over from Plunk.\n" +
        "PLUNK_API_KEY holds the secret key of the project; without it the key is asked for. The API of a\n" +
        "Plunk of your own is named by PLUNK_BASE_URL. All contacts go into the book Plunk.\n" +
        AGAIN,
    )
    .action((options: Options) =>
      run(command, terminal, options, {
        service: "Plunk",
        secret: { variable: "PLUNK_API_KEY", name: "Plunk secret key" },
        baseUrl: terminal.env.PLUNK_BASE_URL || "https://next-api.useplunk.com",
        writtenAs: "PLUNK_BASE_URL",
        toSource: plunkSource,
      }),
    )
  withExamples(command, "edgepost import plunk --dry-run")
}

const withOptions = (command: Command, parts: string, rate: number): Command =>
  command
    .option("--dry-run", "read both sides, and change nothing")
    .option("--only <parts>", `some of ${parts}`, (text) => text.split(","))
    .option("--rate <n>", "requests a second that the service allows", toRate, rate)

interface From {
  service: string
  secret: { variable: string; name: string }
  authorize?: (secret: string) => string
  baseUrl: string
  /** Where the user wrote it, for messages. */
  writtenAs: string
  toSource: (get: Get) => Source
}

async function run(command: Command, terminal: Terminal, options: Options, from: From) {
  const session = createSession(command, terminal)
  const { service, toSource, authorize = (key) => `Bearer ${key}` } = from
  const { signal, errors, env } = terminal
  const baseUrl = from.baseUrl.replace(/\/+$/, "")
  if (isOwn(session, baseUrl)) {
    throw new UsageError(`${from.writtenAs} leads to this installation, and not to ${service}.`)
  }
  const { variable, name } = from.secret
  const secret = (env[variable] || (await readSecret(terminal, name))).trim()
  if (!/^\S+$/.test(secret)) throw new UsageError(`The ${name} must be one word.`)
  const authorization = authorize(secret)
  const source = toSource(
    createGet({ service, baseUrl, authorization, rate: options.rate, signal }),
  )
  const unknown = options.only?.find((part) => !(part in source.steps))
  if (unknown !== undefined) {
    const parts = Object.keys(source.steps).join(", ")
    throw new UsageError(`There is no part "${unknown}". There are: ${parts}.`)
  }
  const report = await importFrom(
    source,
    { client: session.client, isDry: Boolean(options.dryRun) },
    options.only,
    (text) => errors.isTTY && errors.write(`${text}\n`),
  )
  session.print(report, toText(session, report))
  if (Object.values(report.parts).some(({ failed }) => failed.length > 0)) throw new Failed()
}

/** `RESEND_BASE_URL` may point the `resend` package to this installation, which is not a source. */
const isOwn = ({ baseUrl: own }: Session, url: string): boolean =>
  `${url}/`.startsWith(`${own.replace(/\/$/, "")}/`)

function toText({ paint }: Session, { dryRun, parts, leftBehind }: Report): string {
  const entries = Object.entries(parts)
  const rows = entries.map(([name, { found, added, changed, kept, failed }]) =>
    [name, found, added, changed, kept, failed.length].map(String),
  )
  const titles = ["WHAT", "FOUND", dryRun ? "WOULD ADD" : "ADDED", "CHANGED", "KEPT", "FAILED"]
  const failures = entries.flatMap(([name, { failed }]) => [
    ...failed.slice(0, FAILURES_SHOWN).map(({ what, why }) => `  ${name}: ${what}: ${why}`),
    ...(failed.length > FAILURES_SHOWN
      ? [`  ${name}: ${failed.length - FAILURES_SHOWN} more failed; --json has all.`]
      : []),
  ])
  const notes = entries.flatMap(([name, part]) => part.notes.map((note) => `  ${name}: ${note}`))
  const lines = (title: string, list: string[]) => (list.length > 0 ? ["", title, ...list] : [])
  return [
    ...(dryRun ? ["A dry run: nothing was changed."] : []),
    toTable(paint, titles, rows),
    ...lines("Not imported, by failure:", failures.map(clean)),
    ...lines("To know:", notes.map(clean)),
    ...lines(
      "Not brought over:",
      leftBehind.map((text) => `  ${text}`),
    ),
  ].join("\n")
}

function toRate(text: string): number {
  const rate = Number(text)
  if (!(rate > 0 && rate <= 1000)) throw new InvalidArgumentError("It must be a number above 0.")
  return rate
}
