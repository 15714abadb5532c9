import { EMAIL_STATUSES, type EmailStatus, STATUS_RANK } from "../../emails/contract.ts"
import { SCAN_LIMIT } from "../../emails/list.ts"
import { settingsSchema } from "../../env.ts"
import { MAX_ATTEMPTS } from "../../providers/provider.ts"
import { RETRY_DELAYS_MS } from "../../sending/attempt.ts"
import { EVENTS_KEPT_MS } from "../../webhooks/sweep.ts"
import { prose, type Section, table } from "../blocks.ts"
import { duration } from "../text.ts"

const MEANINGS: Record<EmailStatus, string> = {
  queued: "Accepted, waiting for its turn. Can be cancelled.",
  scheduled: "Waits for `scheduledAt`. Can be rescheduled and cancelled.",
  sending: "Being handed to the provider.",
  sent: "The provider accepted it. It stays so when no outcome is ever reported.",
  delivered: "The receiving server took it.",
  bounced: "Refused by the receiving side, for good or (soft) for now.",
  failed: "The provider refused it, or every attempt failed: `lastError`.",
  cancelled: "By a call, or because a recipient was suppressed meanwhile.",
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
    prose(`A status only moves to a higher rank. What is reported late is on the [timeline](#schema-EmailEvent) and changes nothing else; opens, clicks and delays never change it. One exception: an email that failed because the provider never answered takes the status that the provider reports later. Acceptance is no entry: \`createdAt\` says it.

\`scheduledAt\` more than 5 seconds ahead makes an email \`scheduled\`, otherwise it is \`queued\`. A fault that may pass is retried after ${duration(RETRY_DELAYS_MS[0] ?? 0)}, each wait twice as long as the one before, ${MAX_ATTEMPTS} attempts in all. A refusal fails at once. Suppressions are looked at again just before the provider.

When a provider's answer to a send is lost, the email stays \`sending\` until the provider's own event tells; after five minutes without one it is sent again, and \`reason\` on the timeline says so.

A hard bounce suppresses the address, and so does a complaint unless its \`complaintFeedbackType\` is \`not-spam\`. Filters of [the list](#call-emails.list) combine; a page looks through at most ${SCAN_LIMIT.toLocaleString("en")} emails, so that a rare match costs more pages, not a slower one.`),
  ],
}

const { CONTENT_RETENTION_DAYS, RECORD_RETENTION_DAYS } = settingsSchema.shape

export const retention: Section = {
  id: "retention",
  title: "Retention and erasure",
  body: [
    prose(`
- **Content** of an email (html, text, headers, attachments): ${CONTENT_RETENTION_DAYS.parse(undefined)} days by default.
- **Record and timeline**: ${RECORD_RETENTION_DAYS.parse(undefined)} days by default, and the idempotency key with them.
- **Events** for webhooks, and their deliveries: ${duration(EVENTS_KEPT_MS)}.

An installation sets the first two. One address is erased at once [on the dashboard](#call-erasures.create).`),
  ],
}
