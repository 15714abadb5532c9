import { type Command, InvalidArgumentError } from "commander"
import { withExamples } from "./examples.ts"
import { Failed, UsageError } from "./failure.ts"
import { importResend, PARTS, type PartName, type Report } from "./import/import-resend.ts"
import { createResendApi } from "./import/resend-api.ts"
import { readSecret } from "./login.ts"
import { clean, toTable } from "./paint.ts"
import { createSession, type Session } from "./session.ts"
import type { Terminal } from "./terminal.ts"

interface Options {
  dryRun?: boolean
  only?: PartName[]
  properties?: boolean
  rate: number
}

const FAILURES_SHOWN = 20

export function addImport(program: Command, terminal: Terminal): void {
  const group = program.command("import").description("Bring records over from another service")
  const command = group
    .command("resend")
    .summary("bring domains, templates, contacts and suppressions over from Resend")
    .description(
      "Bring domains, templates, contacts and suppressions over from Resend.\n" +
        "RESEND_API_KEY holds a key with full access; without it the key is asked for. Segments become\n" +
        "contact books. Who has unsubscribed stays so. Run it again at any time: contacts that are here\n" +
        "keep their names and properties, and lose consent that was withdrawn at Resend. Templates get\n" +
        "the content that they have at Resend.",
    )
    .option("--dry-run", "read both sides, and change nothing")
    .option("--only <parts>", `some of ${PARTS.join(",")}`, toParts)
    .option("--properties", "read the properties of each contact, one request a contact")
    .option("--rate <n>", "requests a second that Resend allows", toRate, 2)
    .action((options: Options) => run(command, terminal, options))
  withExamples(
    command,
    "edgepost import resend --dry-run",
    "edgepost import resend --only contacts,suppressions",
  )
}

async function run(command: Command, terminal: Terminal, options: Options): Promise<void> {
  const session = createSession(command, terminal)
  const baseUrl = readBaseUrl(session, terminal)
  const apiKey = (
    terminal.env.RESEND_API_KEY || (await readSecret(terminal, "Resend API key"))
  ).trim()
  if (!/^\S+$/.test(apiKey)) throw new UsageError("Resend's API key must be one word.")
  const { signal, errors } = terminal
  const resend = createResendApi({ baseUrl, apiKey, rate: options.rate, signal })
  const report = await importResend(
    resend,
    { client: session.client, isDry: Boolean(options.dryRun) },
    { only: options.only ?? PARTS, withProperties: Boolean(options.properties) },
    (text) => errors.isTTY && errors.write(`${text}\n`),
  )
  session.print(report, toText(session, report))
  if (Object.values(report.parts).some(({ failed }) => failed.length > 0)) throw new Failed()
}

/** The variable may point the `resend` package to this installation, which is not a source. */
function readBaseUrl({ baseUrl: own }: Session, { env }: Terminal): string {
  const url = (env.RESEND_BASE_URL || "https://api.resend.com").replace(/\/$/, "")
  if (url.startsWith(`${own.replace(/\/$/, "")}/`)) {
    throw new UsageError("RESEND_BASE_URL leads to this installation: unset it for the import.")
  }
  return url
}

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

function toParts(text: string): PartName[] {
  const names = text.split(",")
  const unknown = names.find((name) => !PARTS.some((part) => part === name))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no part "${unknown}".`)
  return names as PartName[]
}

function toRate(text: string): number {
  const rate = Number(text)
  if (!(rate > 0 && rate <= 1000)) throw new InvalidArgumentError("It must be a number above 0.")
  return rate
}
