import { CAMPAIGN_STATUSES, type CampaignStatus } from "../../worker/campaigns/contract.ts"
import { WAVE_WAIT_MS, WAVES } from "../../worker/campaigns/sending/waves.ts"
import { ALERT_MIN_SENDS, THRESHOLDS } from "../../worker/stats/alerts.ts"
import { heading, prose, type Section, table } from "../blocks.ts"
import { duration, percent } from "../text.ts"

const STATES: Record<CampaignStatus, [moves: string, meaning: string]> = {
  draft: ["schedule, send", "Can be changed."],
  scheduled: [
    "schedule, send, cancel",
    "Starts at `scheduledAt`. A change makes it a draft again, and so does a start that is refused.",
  ],
  sending: [
    "pause, resume, cancel",
    "Emails are being queued. Can be neither changed nor deleted.",
  ],
  sent: ["pause, resume", "Every recipient is queued."],
  cancelled: [
    "none",
    "Nothing more is queued, and queued emails are cancelled. Emails that the provider has are not recalled.",
  ],
}

export const campaigns: Section = {
  id: "campaign-states",
  title: "Campaigns: states, audience, merge fields",
  body: [
    table(
      ["Status", "Moves", "Meaning"],
      CAMPAIGN_STATUSES.map((status) => [`\`${status}\``, ...STATES[status]]),
    ),
    prose(`
\`campaign.sent\` fires when the last recipient is queued, and \`campaign.completed\` when every email has its outcome. Wait for \`campaign.completed\` if you need final counts. A cancelled campaign fires neither. A campaign with an email whose outcome never comes fires \`campaign.sent\` only. With an empty audience both fire, with zeros.

**Audience**: the contacts of the book that are subscribed and not suppressed. Each is mailed at most once. Campaigns have a queue of their own and never delay other mail. **Counts** count recipients, each once: \`sent\` those whose email the provider accepted, \`delivered\` those whose email was ever delivered.

**Merge fields** are \`{{ firstName }}\`, \`{{ lastName }}\`, \`{{ email }}\` and \`{{ properties.<name> }}\`, in the subject, in texts, and in links after the host. A contact without a value gets the entry of \`mergeDefaults\`, or nothing. Spaces inside the braces do not matter, and \`{{{ firstName }}}\` is the same. A campaign with any other placeholder, or with braces without their pair, is neither scheduled nor sent (400).

**Language**: the html says the language and the direction of the text: \`lang\` and \`dir\` of the theme, where the campaign, its layouts or the brand have them, else as the text reads. A text that does not tell has no language and goes from left to right.

**Footer**: every message ends with the team's name, its postal address and the unsubscribe link. Set name and address on the dashboard. A campaign keeps the name, address, blocks and layouts that it started with. The unsubscribe page shows the present name and address.

**Blocks** are data, never HTML of your own. See [their kinds](#schema-Block). Layouts are made on the dashboard and stand above and below the blocks.`),
    heading("pause", "Pause and resume"),
    prose(`
[Pause](#call-campaigns.pause) stops the queueing and holds the emails in the queue, also after \`campaign.sent\`. The status stays, and \`pausedReason\` says "Paused by hand." Emails that are already taken for sending, and retries, still go. [Resume](#call-campaigns.resume) continues where it stopped. Cancelling a paused campaign, or deleting one that is \`sent\`, cancels what it holds.`),
    heading("brake", "The brake"),
    prose(
      `With \`brake\`, a campaign mails ${WAVES.map(percent).join(", then ")} of its book (${ALERT_MIN_SENDS} recipients at least), and the rest once each wave is judged: when all its outcomes are in, or after ${duration(WAVE_WAIT_MS)}. While the provider has taken fewer than ${ALERT_MIN_SENDS} and the queue has more, it waits on. From ${percent(THRESHOLDS.bounce.warning)} bounces or ${percent(THRESHOLDS.complaint.warning)} complaints on it pauses: \`pausedReason\` says why, the queue's emails are held, and it waits for [resume](#call-campaigns.resume) or cancel.`,
    ),
  ],
}
