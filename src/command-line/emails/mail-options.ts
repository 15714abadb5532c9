import { basename } from "node:path"
import type { Command } from "commander"
import type { EmailInput } from "../../client/index.ts"
import { isPlainObject, readJson } from "../../lib/json.ts"
import { UsageError } from "../terminal/failure.ts"
import { readBytes } from "../terminal/files.ts"
import { repeated, toPairs } from "../terminal/options.ts"
import { readInput, type Terminal } from "../terminal/terminal.ts"
import { readVariables } from "./variables.ts"

export interface MailOptions {
  from?: string
  to?: string[]
  cc?: string[]
  bcc?: string[]
  replyTo?: string[]
  subject?: string
  text?: string
  textFile?: string
  html?: string
  htmlFile?: string
  template?: string
  variable?: string[]
  variables?: string
  header?: string[]
  attach?: string[]
  tag?: string[]
  skipSuppressed?: boolean
  at?: string
  input?: string
}

export const addMailOptions = (command: Command): Command =>
  command
    .option("--from <address>", "sender: a@b.c or 'Name <a@b.c>'")
    .option("--to <address>", "recipient; repeatable, as cc, bcc and reply-to", repeated)
    .option("--cc <address>", "copy", repeated)
    .option("--bcc <address>", "blind copy", repeated)
    .option("--reply-to <address>", "where answers go", repeated)
    .option("--subject <text>", "subject")
    .option("--text <text>", "text; by default, what standard input holds")
    .option("--text-file <file>", "text from a file; - is standard input")
    .option("--html <html>", "HTML")
    .option("--html-file <file>", "HTML from a file; - is standard input")
    .option("--template <slug>", "template, in place of text and HTML")
    .option(
      "--variable <name=value>",
      "text for the template; repeatable; name=Ada, or order.number=A7 for a name with dots",
      repeated,
    )
    .option(
      "--variables <json>",
      "values for the template, also numbers and booleans: JSON, @file, or - for standard input",
    )
    .option("--header <name: value>", "header; repeatable", repeated)
    .option("--attach <file>", "attachment; repeatable", repeated)
    .option("--tag <key=value>", "tag; repeatable", repeated)
    .option("--skip-suppressed", "send to the others if a recipient is suppressed")
    .option("--at <time>", "when to send: ISO 8601 with an offset or Z")
    .option("--input <file>", "the whole message as JSON, as the API takes it; - is standard input")

/** Builds the message from options and files. Options override the file of `--input`. */
export async function readMail(options: MailOptions, terminal: Terminal): Promise<EmailInput> {
  const { input } = terminal
  const read = createReader(input)
  const whole = options.input ? parse(await read(options.input), options.input) : {}
  const given = {
    from: options.from,
    to: options.to,
    cc: options.cc,
    bcc: options.bcc,
    replyTo: options.replyTo,
    subject: options.subject,
    text: options.textFile ? await read(options.textFile) : options.text,
    html: options.htmlFile ? await read(options.htmlFile) : options.html,
    template: options.template,
    variables: await readVariables(options, terminal),
    headers: toRecord(options.header, ":", "--header"),
    tags: toRecord(options.tag, "=", "--tag"),
    attachments: options.attach?.map(toAttachment),
    scheduledAt: options.at,
    onSuppressed: options.skipSuppressed ? "skip" : undefined,
  }
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const mail = { ...whole, ...said }
  const hasBody = ["text", "html", "template"].some((name) => Object.hasOwn(mail, name))
  if (!hasBody && !input.isTTY) mail.text = await read("-")
  return mail as unknown as EmailInput
}

/** Reads files. Standard input can be read only once. */
function createReader(input: Terminal["input"]) {
  let isRead = false
  return async (file: string): Promise<string> => {
    if (file !== "-") return readBytes(file).toString("utf8")
    if (isRead) throw new UsageError("Standard input can be used once.")
    isRead = true
    return readInput(input)
  }
}

const toAttachment = (file: string) => ({
  filename: basename(file),
  content: readBytes(file).toString("base64"),
})

function parse(text: string, file: string): Record<string, unknown> {
  const value = readJson(text)
  if (isPlainObject(value)) return value
  throw new UsageError(`${file === "-" ? "Standard input" : file} holds no JSON object.`)
}

const toRecord = (texts: string[] | undefined, separator: string, option: string) =>
  texts && Object.fromEntries(toPairs(texts, separator, option))
