import type { Command } from "commander"
import type { EmailEvent, EmailWithEvents } from "../../client/index.ts"
import { describeRecipients } from "../emails/recipients.ts"
import { createSession, type Session } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { clean, paintStatus } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { detailOf } from "../terminal/timeline.ts"
import { followEmails } from "./follow.ts"

export function addTail(emails: Command, terminal: Terminal): void {
  const command = emails
    .command("tail")
    .description("Follow what happens to emails, until Ctrl-C: a line for each event")
    .argument("[id]", "an email, to show all of its timeline; without it, every email")
    .action(async (id?: string) => {
      const session = createSession(command, terminal)
      const tell = (email: EmailWithEvents, event: EmailEvent) => printEvent(session, email, event)
      await followEmails(session.client, terminal, tell, id)
    })
  withExamples(
    command,
    "edgepost emails tail",
    "edgepost emails tail em_1",
    "edgepost emails tail --json",
  )
}

function printEvent({ print, paint }: Session, email: EmailWithEvents, event: EmailEvent): void {
  const { id, to, subject } = email
  const type = paintStatus(paint, event.type, event.type.padEnd(10))
  const line = `${event.occurredAt}  ${type} ${clean(`${describeRecipients(email)}  ${subject}`)}  ${id}`
  const detail = detailOf(event)
  print({ emailId: id, to, subject, event }, detail ? `${line}  ${paint("dim", detail)}` : line)
}
