import { randomBytes } from "node:crypto"
import { Argument, type Command } from "commander"
import { EVENT_TYPES, type EventType } from "../../worker/webhooks/events/types.ts"
import { createSession } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { clean } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"
import { TRIGGERS } from "./events.ts"

export function addTrigger(program: Command, terminal: Terminal): void {
  const command = program
    .command("trigger")
    .summary("make an event of a type really happen")
    .description(
      "Make an event of a type really happen, for webhooks and 'edgepost listen'.\n" +
        "Each step is printed. Mail goes only to the mailbox simulator: the sandbox and Amazon SES have\n" +
        "it, and no person gets anything. Books, contacts, campaigns and domains are made for the event\n" +
        "and removed afterwards; the email stays, and so does the suppression of a bounce or complaint.",
    )
    .addArgument(new Argument("<event>", "its type").choices(EVENT_TYPES))
    .option("--from <address>", "sender; by default trigger@ the first verified domain")
    .action(async (event: EventType, { from }: { from?: string }) => {
      const { client, baseUrl, isJson, print } = createSession(command, terminal)
      const steps: string[] = []
      const say = (step: string) => {
        steps.push(step)
        if (!isJson) terminal.output.write(`${clean(step)}\n`)
      }
      const label = `trigger-${randomBytes(4).toString("hex")}`
      const { data } = await client.domains.list({ limit: 100 })
      const domain = data.find(({ status }) => status === "verified")
      if (!domain) throw new Error("No domain is verified: run edgepost domains verify.")
      const trial = { client, baseUrl, domain, label, say, signal: terminal.signal }
      const made = await TRIGGERS[event]({ ...trial, from: from ?? `trigger@${domain.name}` })
      print({ event, ...made, steps }, `${event} happened.`)
    })
  withExamples(
    command,
    "edgepost trigger email.bounced",
    "edgepost trigger contact.created --json",
    "edgepost trigger email.delivered --from hello@demo.test",
  )
}
