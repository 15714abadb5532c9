import type { Command } from "commander"
import type { EmailExplanation } from "../../client/index.ts"
import { createSession } from "../session/session.ts"
import { withExamples } from "../terminal/examples.ts"
import { clean, type Paint } from "../terminal/paint.ts"
import type { Terminal } from "../terminal/terminal.ts"

export function addExplain(emails: Command, terminal: Terminal): void {
  const command = emails
    .command("explain")
    .description("Say in plain words what happened to an email, and what to do")
    .argument("<id>", "em_...")
    .action(async (id: string) => {
      const { client, paint, print } = createSession(command, terminal)
      const explanation = await client.emails.explain(id)
      print(explanation, toText(explanation, paint))
    })
  withExamples(command, "edgepost emails explain em_1", "edgepost emails explain em_1 --json")
}

function toText(explanation: EmailExplanation, paint: Paint): string {
  const { summary, cause, next, attempts, waitingFor } = explanation
  const lines = [paint("bold", clean(summary))]
  if (cause) {
    const { code, enhancedStatus, diagnostic, meaning } = cause
    lines.push(clean(`Cause: ${meaning} (${[code, enhancedStatus].filter(Boolean).join(", ")})`))
    if (diagnostic) lines.push(clean(`The server said: ${diagnostic}`))
  }
  if (waitingFor) {
    const until = waitingFor.until ? ` until ${waitingFor.until}` : ""
    lines.push(clean(`Waiting for: ${waitingFor.what}${until}`))
  }
  for (const { at, outcome, answer } of attempts) {
    lines.push(clean(`Attempt ${at}: ${outcome}${answer ? ` (${answer})` : ""}`))
  }
  lines.push(...next.map((step, index) => clean(`${index + 1}. ${step}`)))
  return lines.join("\n")
}
