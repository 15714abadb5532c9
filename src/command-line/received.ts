import type { Command } from "commander"
import type { Edgepost, ReceivedEmail } from "../client/index.ts"
import { nullIfGone } from "./listen/follow.ts"
import { createSession } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { clean } from "./terminal/paint.ts"
import { addRow, type Row } from "./terminal/rows.ts"
import type { Terminal } from "./terminal/terminal.ts"

const ROWS: readonly Row[] = [
  {
    usage: "list",
    does: "List received mail, newest first",
    options: {
      "--inbox-id <id>": "the mail of one inbox",
      "--from <start>": "the start of the sender's address, or @domain",
      "--subject <part>": "a part of the subject",
      "--kind <kind>": "message, autoReply, bounce, complaint or unsubscribe",
    },
    call: (client, _, query) => client.receivedEmails.list(query),
    columns: ["createdAt", "kind", "from", "subject", "id"],
    examples: ["edgepost received list", "edgepost received list --from @example.com --json"],
  },
  {
    usage: "get <id>",
    does: "Show a received email with its text",
    call: (client, [id = ""]) => client.receivedEmails.get(id),
    examples: ["edgepost received get rcv_1", "edgepost received get rcv_1 --json"],
  },
  {
    usage: "reply <thread-id> <text>",
    does: "Answer in a thread",
    options: { "--received-id <id>": "the message to answer; by default the newest one" },
    call: (client, [id = "", text = ""], { receivedId }) =>
      client.threads.reply(id, { text, ...(receivedId && { receivedId }) }),
    examples: ["edgepost received reply thr_1 'It is on its way.' --received-id rcv_1"],
  },
]

/** `inbox` has its other commands already. */
export function addReceived(program: Command, terminal: Terminal): void {
  const received = program.command("received").description("Mail that came")
  for (const row of ROWS) addRow(received, terminal, row)
  const inbox = program.commands.find((one) => one.name() === "inbox")
  for (const group of [received, ...(inbox ? [inbox] : [])]) addFollow(group, terminal)
}

function addFollow(group: Command, terminal: Terminal): void {
  group
    .option("--follow", "print received mail as it comes, until Ctrl-C")
    .action(async ({ follow }: { follow?: true }) => {
      if (!follow) return group.help()
      const { client, print } = createSession(group, terminal)
      await followReceived(client, terminal, (one) => {
        const { createdAt, kind, from, subject, id } = one
        print(one, clean(`${createdAt}  ${kind.padEnd(11)}  ${from.email}  ${subject}  ${id}`))
      })
    })
  withExamples(group, `edgepost ${group.name()} --follow`)
}

/** A received email changes once it was read, and later, such as when somebody opens it. */
async function followReceived(
  client: Edgepost,
  { signal, errors }: Terminal,
  tell: (received: ReceivedEmail) => void,
): Promise<void> {
  const stream = client.stream({ signal, include: "received" })
  const told = new Set<string>()
  try {
    await stream.connected
    if (errors.isTTY) errors.write("Following. Ctrl-C ends it.\n")
    for await (const { type, ...change } of stream) {
      if (type === "reset") errors.write("Some changes were missed, and are no longer kept.\n")
      if (type !== "received" || !("id" in change) || told.has(change.id)) continue
      const received = await client.receivedEmails.get(change.id).catch(nullIfGone)
      if (received === null || received.parsed === null) continue
      told.add(received.id)
      tell(received)
    }
  } finally {
    await stream.return()
  }
}
