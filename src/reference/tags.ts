import { ALERT_MIN_SENDS, THRESHOLDS } from "../worker/stats/alerts.ts"
import { percent } from "./text.ts"

export const INTRODUCTIONS: Record<string, string> = {
  "API keys": "Keys and their permissions. See [authentication](#authentication).",
  Emails:
    "An email is accepted, handed to the provider and reported on. Its [states and timeline](#email-states), [tracking](#tracking) and [how long it is kept](#retention) have guides.",
  Domains:
    "An email is sent from the verified domain of the team that `from` is on or below; if several match, from the one with the longest name. A pending domain is checked every 2 minutes for 72 hours, then it has `failed`. A verified one is checked daily; once its proof is lost it is `pending` again. Both fire `domain.failed`.",
  Templates: "Stored messages with variables. [How they are written](#template-syntax).",
  "Contact books": "Lists of people that campaigns are sent to.",
  Contacts: "People in a book. Their consent is `subscribed`; see [unsubscribing](#unsubscribing).",
  Segments:
    "Saved filters over a contact book: whom a campaign goes to, by what contacts are and what they did.",
  Topics: "Kinds of mail that a person chooses or leaves. See [unsubscribing](#unsubscribing).",
  Campaigns:
    "One message for everyone in a book, built from typed [blocks](#schema-Block). [States, audience, merge fields and the brake](#campaign-states) have a guide.",
  Sequences:
    "Steps that each contact goes through by itself, such as mail, waits and branches. A run is one contact's way through them; a step that cannot be done holds it.",
  Suppressions:
    "Addresses that must not be mailed. Hard bounces and complaints are added by the service; the first entry of an address stays. One suppressed recipient refuses the whole email, except where it skips them with `onSuppressed`. A `full` key can override that with `overrideSuppression`, except for the reason `complaint`.",
  Webhooks: "Where events are POSTed. [What arrives, and how to verify it](#webhook-events).",
  Statistics: `How sending goes, and alerts before a provider raises them. Of 24 hours with at least ${ALERT_MIN_SENDS} sends, bounces from ${percent(THRESHOLDS.bounce.warning)} on are a warning, from ${percent(THRESHOLDS.bounce.critical)} critical; complaints from ${percent(THRESHOLDS.complaint.warning)} and ${percent(THRESHOLDS.complaint.critical)}.`,
  Stream: "Every change as it happens. See [its frames](#live-stream).",
  Sandbox:
    "The test inbox: mail that the sandbox kept. See [mailboxes that play outcomes](#sandbox-mailboxes).",
  Inboxes: "Addresses that take mail. See [receiving](#receiving).",
  "Received emails": "Mail that came to an inbox. See [receiving](#receiving).",
  Threads: "Received mail and the emails that answer it. See [receiving](#receiving).",
  Forms:
    "Where people subscribe to a contact book by themselves. By default a person is asked by mail, and subscribed once they confirm.",
}
