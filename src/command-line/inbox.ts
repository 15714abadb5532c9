import type { Command } from "commander"
import type { Edgepost, ListSandboxQuery, SandboxMessage } from "../client/index.ts"
import { createSession } from "./session/session.ts"
import { withExamples } from "./terminal/examples.ts"
import { Failed } from "./terminal/failure.ts"
import { toCount } from "./terminal/lists.ts"
import { clean } from "./terminal/paint.ts"
import type { Terminal } from "./terminal/terminal.ts"

const LONGEST_CALL_SECONDS = 30

export function addInbox(program: Command, terminal: Terminal): void {
  const inbox = program
    .command("inbox")
    .description("The test inbox of the sandbox, and mail as it comes")
  const wait = inbox
    .command("wait")
    .description("Wait for a message, and print the newest one. Exits with 1 when none came.")
    .option("--to <address>", "an address of the envelope")
    .option("--email-id <id>", "the email that the message is of")
    .option("--seconds <n>", "how long to wait", toCount, LONGEST_CALL_SECONDS)
    .action(async ({ seconds, ...query }: ListSandboxQuery & { seconds: number }) => {
      const { client, print } = createSession(wait, terminal)
      const message = await waitForMessage(client, query, seconds)
      if (message) return print(message, toText(message))
      terminal.errors.write(`No message within ${seconds} seconds.\n`)
      throw new Failed()
    })
  withExamples(
    wait,
    "edgepost inbox wait --to ada@example.com",
    "edgepost inbox wait --email-id em_1 --seconds 60 --json",
  )
}

/** One call waits up to 30 seconds, so a longer wait needs several calls. */
async function waitForMessage(
  client: Edgepost,
  query: ListSandboxQuery,
  seconds: number,
): Promise<SandboxMessage | undefined> {
  for (let left = seconds; ; left -= LONGEST_CALL_SECONDS) {
    const wait = Math.min(left, LONGEST_CALL_SECONDS)
    const { data } = await client.sandbox.wait({ ...query, limit: 1, wait })
    if (data[0] || left <= LONGEST_CALL_SECONDS) return data[0]
  }
}

function toText({ emailId, envelope, subject, text, html, links, attachments }: SandboxMessage) {
  const body = (text ?? html ?? "").split(/\r?\n/).map(clean).join("\n")
  const names = attachments.map(({ filename }) => filename ?? "unnamed")
  return [
    `Email    ${emailId}`,
    clean(`From     ${envelope.from}`),
    clean(`To       ${envelope.to.join(", ")}`),
    clean(`Subject  ${subject}`),
    ...(names.length > 0 ? [clean(`Files    ${names.join(", ")}`)] : []),
    ...links.map((link) => clean(`Link     ${link}`)),
    "",
    body,
  ].join("\n")
}
