import { CAMPAIGN_STATUSES, type CampaignStatus } from "../../campaigns/contract.ts"
import { WAVE_WAIT_MS, WAVES } from "../../sending/waves.ts"
import { ALERT_MIN_SENDS, THRESHOLDS } from "../../stats/alerts.ts"
import { heading, prose, type Section, table } from "../blocks.ts"
import { duration, percent } from "../text.ts"

const STATES: Record<CampaignStatus, [moves: string, meaning: string]> = {
  draft: ["schedule, send", "Can be changed."],
  scheduled: [
    "schedule, send, cancel",
    "Starts at `scheduledAt`; what can no longer be sent then is a draft again. A change makes it a draft.",
  ],
  sending: ["cancel, resume", "Emails are being queued. Can be neither changed nor deleted."],
  sent: ["none", "Every recipient is queued."],
  cancelled: [
    "none",
    "Nothing more is queued, what was queued is cancelled, what the provider has is not recalled.",
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
\`campaign.sent\` fires when the last recipient is queued, \`campaign.completed\` when every email has its outcome: wait for that one for final counts. A cancelled campaign fires neither, nor does one with an email whose outcome never comes. An empty audience is \`sent\` and completed with zeros.

**Audience**: the book's contacts that are subscribed and not suppressed, each mailed at most once. Campaigns have a queue of their own and never delay other mail. **Counts** count recipients, each once: \`sent\` what the provider accepted, \`delivered\` what ever was.

**Merge fields** are \`{{ firstName }}\`, \`{{ lastName }}\`, \`{{ email }}\` and \`{{ properties.<name> }}\`, in subject, texts and links (behind the host). Without a value the entry of \`mergeDefaults\` stands, else nothing. Any other placeholder stays as it is.

**Footer**: every message ends with the team's name, its postal address and the unsubscribe link. Name and address are set on the [dashboard](#call-team.update); as with blocks and layouts, a campaign keeps those that it started with. The unsubscribe page shows the present ones.

**Blocks** are data, never HTML of your own: [their kinds](#schema-Block). Layouts, made on the dashboard, stand above and below them as they are when the campaign starts.`),
    heading("brake", "The brake"),
    prose(
      `With \`brake\`, a campaign mails ${WAVES.map(percent).join(", then ")} of its book (${ALERT_MIN_SENDS} recipients at least), and the rest once each wave is judged: when all its outcomes are in, or after ${duration(WAVE_WAIT_MS)}. From ${percent(THRESHOLDS.bounce.warning)} bounces or ${percent(THRESHOLDS.complaint.warning)} complaints on it pauses: \`pausedReason\` says why, and it waits for [resume](#call-campaigns.resume) or cancel.`,
    ),
  ],
}
