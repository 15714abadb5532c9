import * as z from "zod"
import { endpoint } from "../platform/http/endpoint.ts"
import { bareAddress } from "../platform/http/shapes.ts"

/** A call of the dashboard alone. */
export const eraseAddress = endpoint({
  name: "erasures.create",
  call: "POST /erasures",
  access: "session",
  tag: "Erasure",
  summary: "Erase an address from contacts, mail log and events",
  description: [
    "Contacts with it are removed from every book. In emails to it (as to, cc or bcc) a hash takes its place, whatever its case or percent-encoding: among the recipients, in from and reply-to, subject, tags, clicked links, errors. Names beside it, user agents, IP addresses and servers' words are removed, and so is an idempotency key that holds it. A campaign's email shows the subject with its fallbacks alone. Contents are deleted, in the test inbox too. What is queued or scheduled is cancelled; what a provider is being handed at that moment is erased within minutes.",
    "Received mail from and to it is deleted within minutes, and it leaves the participants of threads.",
    "Events kept for webhooks are rewritten in the same way; of a contact they keep the ids and the dates. Deliveries that are pending, and replays, go out with what was rewritten, so that a receiver still learns what became of an email, and nothing of the person. Receivers are not told to erase what they were sent before: that is with you.",
    "The address stays suppressed, under the hash. What is reported on its emails later is kept without it.",
    "What stays until its retention ends: emails to others that name it; events of emails whose record is purged already, and receivers' answers to replays and backfills (30 days). A sign-in to the dashboard with the address is not touched.",
    "`emails` counts those erased at once: of more than 4,000 the rest follows within minutes.",
  ].join("\n\n"),
  example: () => ({ email: "ada@example.com" }),
  json: z.object({ email: bareAddress }),
  retryable: true,
  response: z
    .object({ contacts: z.int(), emails: z.int() })
    .meta({ example: { contacts: 1, emails: 3 } }),
})
