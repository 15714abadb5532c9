import { newId } from "../../../src/lib/id.ts"
import type { OutgoingMessage } from "../../../src/worker/providers/provider.ts"

/** A message to an address of its own, so that a test finds what became of it. */
export function outgoing(changes: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const emailId = newId("email")
  return {
    teamId: "team_of_these_tests",
    emailId,
    from: { address: "sender@example.test" },
    to: [{ address: `${emailId.toLowerCase()}@example.test` }],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: "Hello",
    html: null,
    text: "Hi\n",
    headers: {},
    attachments: [],
    tags: {},
    attempt: 1,
    ...changes,
  }
}
