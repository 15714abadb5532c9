import { SIMULATOR_HOST } from "../../providers/sandbox/mailboxes.ts"
import { prose, type Section, table } from "../blocks.ts"

const MAILBOXES = {
  success: "`delivered`",
  bounce: "`bounced`, `Permanent`: the address is suppressed",
  softbounce: "`bounced`, `Transient`",
  ooto: "`delivered`; an out-of-office reply is none of ours",
  complaint: "`delivered`, then `complained`: the address is suppressed",
  notspam: "`delivered`, then `complained` with `not-spam`: nobody is suppressed",
  suppressionlist: "`bounced`, `Permanent`, by the provider's own list",
  delay: "`delayed`, then `delivered`",
  reject: "refused: `failed`",
  flaky: "two faults that may pass, then `delivered`",
  stuck: "`sent`, and no outcome ever",
}

export const sandbox: Section = {
  id: "sandbox-mailboxes",
  title: "Sandbox mailboxes",
  body: [
    prose(
      `With the sandbox as its provider, an installation sends nothing. These mailboxes at \`${SIMULATOR_HOST}\`, with any \`+label\`, play an outcome each; they are those of Amazon's simulator and some more. Every other address is delivered.`,
    ),
    table(
      ["Mailbox", "What becomes of it"],
      Object.entries(MAILBOXES).map(([name, outcome]) => [`\`${name}\``, outcome]),
    ),
    prose(
      "A domain verifies at its first check, except one whose first label is `unverified` (stays `pending`) or `failed`. Tests read what arrived with [`GET /sandbox/messages`](#call-sandbox.list): `wait` answers as soon as a match is there.",
    ),
  ],
}
