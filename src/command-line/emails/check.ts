import type { Command } from "commander"
import type { EmailCheck } from "../../client/index.ts"
import { createSession, type Session } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { Failed } from "../terminal/failure.ts"
import { clean } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { addMailOptions, type MailOptions, readMail } from "./mail-options.ts"

export function addCheck(program: Command, terminal: Terminal): void {
  const command = addMailOptions(
    program
      .command("check")
      .description("Say whether an email would be sent, and what could be better; sends nothing"),
  ).action(async (options: MailOptions) => {
    const session = createSession(command, terminal)
    const mail = await readMail(options, terminal)
    printCheck(session, await session.client.emails.check(mail))
  })
  withExamples(
    command,
    "edgepost check --from hello@demo.test --to ada@example.com --subject Hi --html-file letter.html",
    "edgepost check --json < mail.json --input -",
  )
}

export function printCheck({ print, paint }: Session, check: EmailCheck): void {
  const { wouldSend, refusal, sender, recipients, message, warnings } = check
  const lines = [
    wouldSend
      ? paint("green", "Would be sent.")
      : paint("red", "Would not be sent: ") + clean(refusal?.message ?? "refused."),
    clean(
      `From ${sender.domain ?? "an unknown domain"} (${sender.status ?? "not added"}, ` +
        `DMARC ${sender.dmarc ?? "missing"}), ${message.bytes} bytes`,
    ),
  ]
  for (const { address, suppressed } of recipients) {
    const state = suppressed
      ? `suppressed (${suppressed.reason}) since ${suppressed.since}`
      : "fine"
    lines.push(clean(`To ${address}: ${state}`))
  }
  for (const { code, message, mend } of warnings) {
    lines.push(`${paint("yellow", clean(code))}: ${clean(message)}`, `  ${clean(mend)}`)
  }
  print(check, lines.join("\n"))
  if (!wouldSend) throw new Failed()
}
