/** Standard headers that a send may have, beside `X-` ones. All others belong to the service or the transport. */
const STANDARD_HEADERS = new Set([
  ...["in-reply-to", "references", "keywords", "comments", "organization", "user-agent"],
  ...["list-id", "list-help", "list-subscribe", "list-unsubscribe", "list-unsubscribe-post"],
  ...["list-post", "list-owner", "list-archive", "archived-at", "feedback-id"],
  ...["importance", "priority", "precedence", "sensitivity", "auto-submitted"],
  ...["content-language", "accept-language", "expires", "expiry-date", "reply-by", "supersedes"],
  ...["mail-followup-to", "mail-reply-to", "disposition-notification-to"],
  ...["thread-topic", "thread-index", "conversation-id", "message-context", "autocrypt"],
  ...["bimi-selector", "cfbl-address", "cfbl-feedback-id", "require-recipient-valid-since"],
])

/** How the headers begin by which a provider or a mail server is told what to do with a message. */
const STEERING_PREFIXES = [
  ...["x-ses-", "x-amz", "x-msys-", "x-mc-", "x-mandrill-", "x-mailgun-", "x-pm-", "x-postmark-"],
  ...["x-sg-", "x-sendgrid-", "x-smtpapi", "x-mj-", "x-mailjet-"],
  ...["x-mailin-", "x-sib-", "x-brevo-"],
  ...["x-elasticemail-", "x-smtp2go-", "x-mt-", "x-mailtrap-", "x-mailersend-", "x-mailpace-"],
  ...["x-postal-", "x-resend-", "x-sparkpost-", "x-socketlabs-", "x-xsm", "x-apiheader"],
  ...["x-tm-", "x-zeptomail-", "x-mailchannels-", "x-lm-", "x-lettermint-", "x-ahasend-"],
  ...["x-scw-", "x-pepipost-", "x-netcore-", "x-infobip-", "x-cf-", "x-cloudflare-"],
  ...["x-greenarrow-", "x-kumo", "x-pmta-", "x-virtual-mta"],
]

/** Whether a header tells a provider what to do with the message. */
export function steersProvider(name: string): boolean {
  const lower = name.toLowerCase()
  return STEERING_PREFIXES.some((prefix) => lower.startsWith(prefix))
}

/** Whether a send may have the header. Nobody acts on an `X-` one that no provider has defined. */
export const isAllowedHeader = (name: string): boolean =>
  STANDARD_HEADERS.has(name.toLowerCase()) || (/^x-/i.test(name) && !steersProvider(name))
