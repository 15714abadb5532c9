import { randomUUID } from "node:crypto"
import { buffer } from "node:stream/consumers"
import type { Command } from "commander"
import type { Edgepost } from "../../client/index.ts"
import { createSession } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { UsageError } from "../terminal/failure.ts"
import { readBytes } from "../terminal/files.ts"
import { toPairs } from "../terminal/options.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { printCheck } from "./check.ts"
import { addMailOptions, type MailOptions, readMail } from "./mail-options.ts"

type Options = MailOptions & { idempotencyKey?: string; check?: boolean; raw?: string }

/** What goes with a raw message. */
const WITH_RAW = ["raw", "to", "tag", "at", "skipSuppressed", "idempotencyKey"]

export function addSend(program: Command, terminal: Terminal): void {
  const command = addMailOptions(program.command("send").description("Send an email"))
    .option("--idempotency-key <key>", "the same key with the same message sends once")
    .option("--check", "only say whether it would be sent")
    .option("--raw <file>", "a whole message, sent as it is to each --to; - is standard input")
    .action(async (options: Options) => {
      const session = createSession(command, terminal)
      if (options.raw !== undefined) {
        const { id } = await sendRaw(session.client, options, terminal)
        return session.print({ id }, id)
      }
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
    "edgepost send --raw message.eml --to ada@example.com",
  )
}

async function sendRaw(client: Edgepost, options: Options, { input }: Terminal) {
  const { raw = "", to = [], tag, at, skipSuppressed } = options
  const other = Object.keys(options).find((name) => !WITH_RAW.includes(name))
  if (other) throw new UsageError(`--raw excludes --${toDashes(other)}.`)
  if (to.length === 0)
    throw new UsageError("--raw needs --to: the message does not decide who gets it.")
  const message = raw === "-" ? await buffer(input) : readBytes(raw)
  const settings = {
    to,
    ...(tag && { tags: Object.fromEntries(toPairs(tag, "=", "--tag")) }),
    ...(at && { scheduledAt: at }),
    ...(skipSuppressed && { onSuppressed: "skip" as const }),
  }
  return client.emails.sendRaw(message, settings, keyOf(options, undefined))
}

const toDashes = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** With a new key, the client can repeat a send whose answer was lost, and it is sent once. */
function keyOf({ idempotencyKey }: Options, inMail: string | undefined) {
  if (idempotencyKey) return { idempotencyKey }
  return inMail ? {} : { idempotencyKey: randomUUID() }
}
