import { domainOf } from "../../../lib/address.ts"
import { addressesOf, type Item } from "../accept/prepare.ts"
import type { EmailCheck, Warning } from "./contract.ts"
import { inspectHtml } from "./inspect-html.ts"
import { GMAIL_CLIPS_BYTES, startOf } from "./sizes.ts"

/** Inboxes show far less; a longer subject is cut everywhere. */
const LONG_SUBJECT_CHARACTERS = 120

interface Facts {
  item: Item
  message: EmailCheck["message"]
  sender: EmailCheck["sender"]
  /** The email that the idempotency key has made already. */
  priorId: string | null
  /** A recipient is suppressed, and the email overrides that. */
  isOverridden: boolean
  /** Suppressed recipients that the email leaves out. */
  skipped: readonly string[]
  /** How many recipients are in books. */
  bookedAddresses: number
  /** The provider's limit, if it has one. */
  maxBytes: number | undefined
}

export function findWarnings(facts: Facts): Warning[] {
  return [...aboutSending(facts), ...aboutSender(facts), ...aboutMessage(facts)]
}

const warning = (code: Warning["code"], message: string, mend: string): Warning => ({
  code,
  message,
  mend,
})

const warnIf = (condition: boolean, ...parts: Parameters<typeof warning>): Warning[] =>
  condition ? [warning(...parts)] : []

function aboutSending({ item: { input }, priorId, isOverridden, skipped }: Facts): Warning[] {
  const isLast = addressesOf(input).every((address) => skipped.includes(address))
  return [
    ...warnIf(
      priorId !== null,
      "already_sent",
      `This idempotency key has made the email ${priorId} already: a send answers its id and sends nothing.`,
      "Use another idempotency key to send once more.",
    ),
    ...warnIf(
      isOverridden && !priorId,
      "suppression_overridden",
      "A recipient is on the suppression list and is mailed because of 'overrideSuppression'.",
      "Leave 'overrideSuppression' out unless the recipient asked for this email.",
    ),
    ...warnIf(
      skipped.length > 0 && !priorId,
      "recipients_skipped",
      isLast
        ? "Every recipient is on the suppression list: the email would be cancelled at once."
        : `On the suppression list, and left out: ${skipped.join(", ")}.`,
      "Send to other addresses, or remove these from the list if their owners ask for it.",
    ),
  ]
}

function aboutSender({ item: { input }, sender, bookedAddresses }: Facts): Warning[] {
  const domain = domainOf(input.from.address)
  const isUnsubscribable = Object.keys(input.headers).some(
    (name) => name.toLowerCase() === "list-unsubscribe",
  )
  return [
    ...warnIf(
      sender.dmarc === "missing",
      "no_dmarc",
      `${domain} has no DMARC record: Gmail, Yahoo and Outlook ask for one of whoever sends in bulk.`,
      `Publish the TXT record 'v=DMARC1; p=none' at _dmarc.${domain}.`,
    ),
    ...warnIf(
      bookedAddresses > 1 && !isUnsubscribable,
      "no_list_unsubscribe",
      `${bookedAddresses} recipients are contacts in your books, and the email has no header List-Unsubscribe.`,
      "Send a campaign, which adds the header, or add List-Unsubscribe and List-Unsubscribe-Post.",
    ),
  ]
}

function aboutMessage({ item, message, maxBytes }: Facts): Warning[] {
  if (!item.composed.ok) return []
  const { subject, html, text } = item.composed.message
  return [
    ...aboutSize(html ?? "", message, maxBytes),
    ...(html ? aboutHtml(startOf(html)) : []),
    ...aboutPlaceholders(findPlaceholders([subject, html ?? "", text ?? ""].map(startOf))),
    ...warnIf(
      subject.length > LONG_SUBJECT_CHARACTERS,
      "long_subject",
      `The subject has ${subject.length} characters: inboxes cut it.`,
      "Say what matters in the first 60 characters.",
    ),
  ]
}

function aboutSize(
  html: string,
  { hasText, bytes }: EmailCheck["message"],
  maxBytes = Number.POSITIVE_INFINITY,
): Warning[] {
  const htmlBytes = Buffer.byteLength(html)
  return [
    ...warnIf(
      !hasText,
      "no_text_part",
      "The email has no text part: some readers see nothing, and filters take it for spam more easily.",
      "Give 'text', or leave it out where 'html' has words: a text part is made from them.",
    ),
    ...warnIf(
      htmlBytes > GMAIL_CLIPS_BYTES,
      "html_too_long",
      `The html has ${Math.ceil(htmlBytes / 1024)} KB: Gmail clips it after 102 KB.`,
      "Shorten it: move styles into classes, drop comments, link to long content.",
    ),
    ...warnIf(
      bytes > maxBytes,
      "message_too_large",
      `The message has ${bytes} bytes, and the provider takes ${maxBytes}: it would be accepted here and fail there.`,
      "Make the attachments smaller, or link to them.",
    ),
  ]
}

function aboutHtml(html: string): Warning[] {
  const { misleading, imagesWithoutAlt } = inspectHtml(html)
  return [
    ...misleading.map(({ shown, href }) =>
      warning(
        "misleading_link",
        `A link shows ${shown} and leads to ${href}: readers and filters take that for phishing.`,
        "Show the host that the link leads to, or words instead of an address.",
      ),
    ),
    ...warnIf(
      imagesWithoutAlt > 0,
      "image_without_alt",
      `Images without the attribute alt: ${imagesWithoutAlt}. Screen readers, and readers who block images, get nothing.`,
      'Describe each image in its alt; decoration has alt="".',
    ),
  ]
}

const aboutPlaceholders = (placeholders: readonly string[]): Warning[] =>
  warnIf(
    placeholders.length > 0,
    "placeholder_left",
    `Nothing fills in ${placeholders.join(", ")}: recipients read it as it stands.`,
    "Replace it before the send, or use a template and give its variables.",
  )

const MAX_NAMED = 5

/** The placeholders of the usual template languages; each alternative is bounded. */
const PLACEHOLDER =
  /\{\{[^{}\n]{1,80}\}\}|\{%[^{}%\n]{1,80}%\}|<%[^<>%\n]{1,80}%>|\$\{[A-Za-z_][\w.]{0,60}\}|\*\|[A-Za-z_][\w:.]{0,60}\|\*/g

/** The placeholders that nothing has filled in: each once, at most five. */
function findPlaceholders(texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [placeholder] of text.matchAll(PLACEHOLDER)) {
      found.add(placeholder)
      if (found.size === MAX_NAMED) return [...found]
    }
  }
  return [...found]
}
