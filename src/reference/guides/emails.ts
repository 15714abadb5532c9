import { EMAIL_STATUSES, type EmailStatus, STATUS_RANK } from "../../worker/emails/contract.ts"
import { RETRY_DELAYS_MS } from "../../worker/emails/sending/attempt.ts"
import { settingsSchema } from "../../worker/platform/env.ts"
import { SCAN_LIMIT } from "../../worker/platform/http/scan.ts"
import { MAX_ATTEMPTS } from "../../worker/providers/provider.ts"
import { EVENTS_KEPT_MS } from "../../worker/webhooks/events/purge.ts"
import { prose, type Section, table } from "../blocks.ts"
import { duration } from "../text.ts"

const MEANINGS: Record<EmailStatus, string> = {
  queued: "Accepted, waiting for its turn. Can be cancelled.",
  scheduled: "Waits for `scheduledAt`. Can be rescheduled and cancelled.",
  sending: "Being handed to the provider.",
  sent: "The provider accepted it. If no outcome is reported, it stays `sent`.",
  delivered: "The receiving server took it.",
  bounced: "The receiving server refused it: for good (hard), or for now (soft).",
  failed: "The provider refused it, or every attempt failed. `lastError` says why.",
  cancelled:
    'By a call, or because a recipient was suppressed after it was accepted. With `onSuppressed: "skip"`, because every recipient is suppressed.',
  complained: "Reported as spam.",
}

export const emailStates: Section = {
  id: "email-states",
  title: "Email states and timeline",
  body: [
    table(
      ["Status", "Rank", "Meaning"],
      EMAIL_STATUSES.map((status) => [
        `\`${status}\``,
        String(STATUS_RANK[status]),
        MEANINGS[status],
      ]),
    ),
    prose(`A status only moves to a higher rank. A late report is added to the [timeline](#schema-EmailEvent) and changes nothing else. Opens, clicks and delays never change the status. One exception: an email that failed because the provider never answered takes the status that the provider reports later. The timeline has no entry for the acceptance: see \`createdAt\`.

\`scheduledAt\` more than 5 seconds ahead makes an email \`scheduled\`, otherwise it is \`queued\`. A fault that may pass is retried after ${duration(RETRY_DELAYS_MS[0] ?? 0)}, each wait twice as long as the one before, ${MAX_ATTEMPTS} attempts in all. A refusal fails at once. A fault of the provider counts no attempt: mail waits until it accepts mail again, up to 72 hours. Suppressions are checked again just before the email goes to the provider. With \`onSuppressed: "skip"\` the timeline names the recipients who were left out, as \`suppressed\`; they stay in \`to\` and in the header.

If the provider's answer to a send is lost, the email stays \`sending\` until the provider reports an event. After five minutes without one it is sent again, and \`reason\` on the timeline says so.

A hard bounce suppresses the address, and so does a complaint unless its \`complaintFeedbackType\` is \`not-spam\`. All filters of [the list](#call-emails.list) have to match. \`since\` and \`until\` are times of creation, not of sending. A page looks through at most ${SCAN_LIMIT.toLocaleString("en")} emails, and says in \`searchedUntil\` how far back it has looked if more are left. An empty page without \`nextCursor\` means that nothing matches.`),
  ],
}

const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = settingsSchema.shape

export const retention: Section = {
  id: "retention",
  title: "Retention and erasure",
  body: [
    prose(`
- **Content** of an email (html, text, headers, attachments): ${CONTENT_RETENTION_DAYS.parse(undefined)} days by default.
- **Record and timeline**: ${RECORD_RETENTION_DAYS.parse(undefined)} days by default. The idempotency key lives as long.
- **Events** for webhooks, and their deliveries: ${duration(EVENTS_KEPT_MS)}.

The first two are settings of the installation. Everything about one address can be erased on the dashboard.`),
  ],
}
