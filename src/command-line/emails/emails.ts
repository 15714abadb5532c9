import { type Command, Option } from "commander"
import type { Email, EmailWithEvents, ListEmailsQuery } from "../../client/index.ts"
import { addTail } from "../listen/tail.ts"
import { createSession, type Session } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { addPageOptions, printPage } from "../terminal/lists.ts"
import { repeated, toTime } from "../terminal/options.ts"
import { clean, paintStatus } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { detailOf } from "../terminal/timeline.ts"
import { addExplain } from "./explain.ts"
import { describeRecipients } from "./recipients.ts"

export function addEmails(program: Command, terminal: Terminal): void {
  const emails = program.command("emails").description("Emails and what became of them")
  addList(emails, terminal)
  addGet(emails, terminal)
  addExplain(emails, terminal)
  addCancel(emails, terminal)
  addTail(emails, terminal)
}

const STATUSES = "queued, scheduled, sending, sent, delivered, bounced, failed, ..."

const yesOrNo = (flags: string, description: string) =>
  new Option(flags, description).choices(["true", "false"])

function addList(emails: Command, terminal: Terminal): void {
  const command = addPageOptions(emails.command("list").description("List emails, newest first"))
    .option("--status <status>", `${STATUSES}; may be repeated: one of them`, repeated)
    .option("--to <address>", "an address, the start of one, or @domain, among to, cc and bcc")
    .option("--from <address>", "the sender: an address, or @domain")
    .option("--tag <tag>", "key:value, or key for any value; may be repeated: all", repeated)
    .option("--subject <words>", "words of the subject, each from its start")
    .option("--domain-id <id>", "emails from a domain")
    .option("--template-id <id>", "emails made from a template")
    .option("--campaign-id <id>", "emails of a campaign")
    .option("--key-id <id>", "emails that an API key sent")
    .addOption(yesOrNo("--opened <yes>", "only opened ones, or only those that were not"))
    .addOption(yesOrNo("--clicked <yes>", "only clicked ones, or only those that were not"))
    .option("--since <time>", "created at this time or later: 2026-11-20T00:00Z, or 1h ago", toTime)
    .option("--until <time>", "created before this time, or before 1h ago", toTime)
    .action(async (query: ListEmailsQuery) => {
      const session = createSession(command, terminal)
      const page = await session.client.emails.list(query)
      printPage(session, page, ["CREATED", "STATUS", "TO", "SUBJECT", "ID"], toRow)
    })
  withExamples(
    command,
    "edgepost emails list",
    "edgepost emails list --status bounced --limit 100",
    "edgepost emails list --status bounced --tag plan:pro --to @example.com --since 7d",
    "edgepost emails list --subject 'your invoice' --opened false",
    "edgepost emails list --since 1h",
    "edgepost emails list --to ada@example.com --json",
  )
}

const toRow = (email: Email) => [
  email.createdAt,
  email.status,
  describeRecipients(email),
  email.subject,
  email.id,
]

function addGet(emails: Command, terminal: Terminal): void {
  const command = emails
    .command("get")
    .description("Show an email and its timeline")
    .argument("<id>", "em_...")
    .action(async (id: string) => {
      const session = createSession(command, terminal)
      const email = await session.client.emails.get(id)
      session.print(email, toText(session, email))
    })
  withExamples(command, "edgepost emails get em_1", "edgepost emails get em_1 --json")
}

function toText({ paint }: Session, email: EmailWithEvents): string {
  const { id, from, to, cc, bcc, subject, status, createdAt, scheduledAt, lastError } = email
  const fields = {
    Email: id,
    From: from,
    To: to.join(", "),
    Cc: cc.join(", "),
    Bcc: bcc.join(", "),
    Subject: subject,
    Created: createdAt,
    Scheduled: scheduledAt,
    Error: lastError,
  }
  const lines = Object.entries(fields)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name.padEnd(9)}  ${clean(value ?? "")}`)
  const events = email.events.map(
    (event) =>
      `${event.occurredAt}  ${paintStatus(paint, event.type, event.type.padEnd(10))} ${detailOf(event)}`,
  )
  const more = email.eventsCursor ? ["More entries follow: see --json."] : []
  const state = `Status     ${paintStatus(paint, status)}`
  return [...lines, state, ...events.map((line) => line.trimEnd()), ...more].join("\n")
}

function addCancel(emails: Command, terminal: Terminal): void {
  const command = emails
    .command("cancel")
    .description("Cancel an email that is queued or scheduled")
    .argument("<id>", "em_...")
    .action(async (id: string) => {
      const { client, print } = createSession(command, terminal)
      const email = await client.emails.cancel(id)
      print(email, `${email.id} ${email.status}`)
    })
  withExamples(command, "edgepost emails cancel em_1")
}
