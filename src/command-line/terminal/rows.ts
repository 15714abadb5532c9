import type { Command } from "commander"
import type { Edgepost, Page } from "../../client/index.ts"
import { formatMailbox } from "../../lib/address.ts"
import { isPlainObject } from "../../lib/json.ts"
import { createSession, type Session } from "../session/session.ts"
import { withExamples } from "./examples.ts"
import { addPageOptions, printPage } from "./lists.ts"
import { clean } from "./paint.ts"
import type { Terminal } from "./terminal.ts"

type Options = Record<string, string | undefined>
type Answer = Promise<unknown>

/** A command that makes one call. */
export interface Row {
  /** The name and the arguments, such as `get <id>`. */
  usage: string
  does: string
  options?: Record<string, string>
  call: (client: Edgepost, args: string[], options: Options) => Answer
  /** The columns of a list. Without them, each field of the record has a line. */
  columns?: string[]
  examples: string[]
}

export function addRow(group: Command, terminal: Terminal, row: Row): void {
  const command = group.command(row.usage).description(row.does)
  if (row.columns) addPageOptions(command)
  for (const [flags, about] of Object.entries(row.options ?? {})) command.option(flags, about)
  command.action(async () => {
    const session = createSession(command, terminal)
    const answer = await row.call(session.client, command.args, command.opts())
    if (row.columns) printRecords(session, answer as Page<Fields>, row.columns)
    else session.print(answer ?? { done: true }, toLines(answer))
  })
  withExamples(command, ...row.examples)
}

type Fields = Record<string, unknown>

const printRecords = (session: Session, page: Page<Fields>, columns: string[]) =>
  printPage(
    session,
    page,
    columns.map((one) => one.replace(/[A-Z]/g, " $&").toUpperCase()),
    (record) => columns.map((one) => toText(record[one])),
  )

function toText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value ?? "")
  if (!isPlainObject(value) || Object.values(value).some(isNested)) return JSON.stringify(value)
  if (typeof value.email === "string") {
    return formatMailbox({ address: value.email, name: String(value.name ?? "") })
  }
  return Object.entries(value)
    .map(([name, one]) => `${name} ${one}`)
    .join(", ")
}

const isNested = (value: unknown) => typeof value === "object" && value !== null

const toLines = (record: unknown): string =>
  isPlainObject(record)
    ? Object.entries(record)
        .map(([name, value]) => clean(`${name.padEnd(14)}  ${toText(value)}`))
        .join("\n")
    : "Done."
