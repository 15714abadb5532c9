import type { Command } from "commander"
import type { AddSuppressionInput, PageQuery } from "../client/index.ts"
import { createSession } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { addPageOptions, printPage } from "./terminal/lists.ts"
import { clean } from "./terminal/paint.ts"
import type { Terminal } from "./terminal/terminal.ts"

export function addSuppressions(program: Command, terminal: Terminal): void {
  const suppressions = program
    .command("suppressions")
    .description("Addresses that must not be mailed")

  const list = addPageOptions(
    suppressions.command("list").description("List suppressed addresses, newest first"),
  ).action(async (query: PageQuery) => {
    const session = createSession(list, terminal)
    const titles = ["SINCE", "REASON", "ADDRESS", "NOTE"]
    printPage(session, await session.client.suppressions.list(query), titles, (one) => [
      one.createdAt,
      one.reason,
      one.email,
      one.note ?? "",
    ])
  })
  withExamples(list, "edgepost suppressions list", "edgepost suppressions list --limit 100 --json")

  const add = suppressions
    .command("add")
    .description("Block an address")
    .argument("<address>", "ada@example.com")
    .option("--reason <reason>", "manual or unsubscribe; by default manual")
    .option("--note <text>", "why")
    .action(async (email: string, options: Omit<AddSuppressionInput, "email">) => {
      const { client, print } = createSession(add, terminal)
      const record = await client.suppressions.add({ email, ...options })
      print(record, clean(`${record.email} is suppressed (${record.reason}).`))
    })
  withExamples(add, "edgepost suppressions add ada@example.com --note 'Asked by phone'")

  const remove = suppressions
    .command("remove")
    .description("Let an address be mailed again")
    .argument("<address>", "ada@example.com")
    .action(async (email: string) => {
      const { client, print } = createSession(remove, terminal)
      await client.suppressions.remove(email)
      print({ removed: email }, clean(`${email} may be mailed again.`))
    })
  withExamples(remove, "edgepost suppressions remove ada@example.com")
}
