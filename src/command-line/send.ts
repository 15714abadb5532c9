import { randomUUID } from "node:crypto"
import type { Command } from "commander"
import { printCheck } from "./check.ts"
import { withExamples } from "./examples.ts"
import { addMailOptions, type MailOptions, readMail } from "./mail-options.ts"
import { createSession } from "./session.ts"
import type { Terminal } from "./terminal.ts"

type Options = MailOptions & { idempotencyKey?: string; check?: boolean }

export function addSend(program: Command, terminal: Terminal): void {
  const command = addMailOptions(program.command("send").description("Send an email"))
    .option("--idempotency-key <key>", "the same key with the same message sends once")
    .option("--check", "only say whether it would be sent")
    .action(async (options: Options) => {
      const session = createSession(command, terminal)
      const mail = await readMail(options, terminal)
      if (options.check) return printCheck(session, await session.client.emails.check(mail))
      const { id } = await session.client.emails.send(mail, keyOf(options, mail.idempotencyKey))
      session.print({ id }, id)
    })
  withExamples(
    command,
    "edgepost send --from hello@demo.test --to ada@example.com --subject Hi --text 'It works'",
    "echo 'It works' | edgepost send --from hello@demo.test --to ada@example.com --subject Hi",
    "edgepost send --from hello@demo.test --to ada@example.com --subject Bill --html-file letter.html --attach bill.pdf",
    "edgepost send --from hello@demo.test --to ada@example.com --template welcome --variable name=Ada",
    'edgepost send --from hello@demo.test --to ada@example.com --template receipt --variables \'{"order":{"total":12.5,"paid":true}}\'',
    "edgepost send --input mail.json --check",
  )
}

/** With a new key, the client can repeat a send whose answer was lost, and it is sent once. */
function keyOf({ idempotencyKey }: Options, inMail: string | undefined) {
  if (idempotencyKey) return { idempotencyKey }
  return inMail ? {} : { idempotencyKey: randomUUID() }
}
