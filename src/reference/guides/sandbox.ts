import { SIMULATOR_HOST } from "../../worker/providers/sandbox/mailboxes.ts"
import { prose, type Section, table } from "../blocks.ts"

const MAILBOXES = {
  success: "`delivered`",
  bounce: "`bounced`, `Permanent`: the address is suppressed",
  softbounce: "`bounced`, `Transient`",
  ooto: "`delivered`, and an out-of-office reply that is ignored",
  complaint: "`delivered`, then `complained`: the address is suppressed",
  notspam: "`delivered`, then `complained` with `not-spam`: nobody is suppressed",
  suppressionlist: "`bounced`, `Permanent`: the provider's own list has the address",
  delay: "`delayed`, then `delivered`",
  reject: "refused: `failed`",
  flaky: "two faults that may pass, then `delivered`",
  stuck: "`sent`, and no outcome",
}

export const sandbox: Section = {
  id: "sandbox-mailboxes",
  title: "Sandbox mailboxes",
  body: [
    prose(
      `With the sandbox as its provider, an installation sends nothing. Each of these mailboxes at \`${SIMULATOR_HOST}\` plays an outcome, also with a \`+label\`. They work as those of Amazon's simulator, and there are some more. Mail to every other address is delivered.`,
    ),
    table(
      ["Mailbox", "Outcome"],
      Object.entries(MAILBOXES).map(([name, outcome]) => [`\`${name}\``, outcome]),
    ),
    prose(
      "A domain verifies at its first check, except one whose first label is `unverified` (stays `pending`) or `failed`. Tests read what arrived with [`GET /sandbox/messages`](#call-sandbox.list). With `wait`, the call answers as soon as a message matches.",
    ),
  ],
}
