// biome-ignore-all format: tables, in which a row takes two or three lines

import {
  type Answer,
  ASK_OPERATOR,
  AUTHENTICATE,
  answers,
  FIX_ADDRESS,
  NOTHING_TO_DO,
  named,
  type Reason,
  SEND_LESS,
  TRY_LATER,
} from "./reason.ts"

const SES_EVENTS = "Amazon SES, contents of event data"
const SES_ERRORS = "Amazon SES API v2, SendEmail"
const CLOUDFLARE = "Cloudflare Email Service, Workers API"
const EDGEPOST = "Edgepost"

const ALLOW_AGAIN = "Make sure the address works, then remove it from the provider's list."

/** Bounces that a list of the provider made: no server was asked. */
export const LISTED_SUBTYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["Suppressed", "suppressed_by_provider",
    "Not attempted: the address recently bounced for other Amazon SES senders.", ALLOW_AGAIN],
  ["OnAccountSuppressionList", "suppressed_by_provider",
    "Not attempted: the address is on your Amazon SES account's suppression list.", ALLOW_AGAIN],
  ["OnTenantSuppressionList", "suppressed_by_provider",
    "Not attempted: the address is on your Amazon SES tenant's suppression list.", ALLOW_AGAIN],
  ["EmailValidationSuppressed", "suppressed_by_provider",
    "Not attempted: Amazon SES considers the address invalid.", FIX_ADDRESS],
])

/** How SES classifies a bounce. Used if the server's own words say less. */
export const BOUNCE_SUBTYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["NoEmail", "mailbox_not_found", "The address does not exist.", FIX_ADDRESS],
  ["MailboxFull", "mailbox_full", "The recipient's mailbox is full.",
    "Try again in a few days. Remove the address if it stays full."],
  ["MessageTooLarge", "message_too_large", "The message is too large for the receiving server.",
    "Use smaller attachments or link to them."],
  ["CustomTimeoutExceeded", "delivery_expired",
    "The provider could not deliver the message in time.", TRY_LATER],
  ["ContentRejected", "content_problem", "The receiving server refused the content.",
    "Check the text and the links."],
  ["AttachmentRejected", "dangerous_attachment", "The receiving server refused an attachment.",
    "Remove the attachment or link to the file."],
])

export const BOUNCE_TYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["Permanent", "bounced_for_good", "The receiving server permanently rejected the message.",
    "Remove the address from your lists."],
  ["Transient", "bounced_for_now",
    "The receiving server temporarily rejected the message, and the provider stopped trying.",
    "Try again later."],
  ["Undetermined", "bounced", "The message bounced without a reason.",
    "Try once more. Remove the address if it bounces again."],
])

export const DELAY_TYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["InternalFailure", "provider_problem", "Amazon SES has an internal problem.", NOTHING_TO_DO],
  ["General", "receiver_problem", "Communication with the receiving server failed.", NOTHING_TO_DO],
  ["MailboxFull", "mailbox_full", "The recipient's mailbox is full.", NOTHING_TO_DO],
  ["SpamDetected", "taken_for_spam",
    "The receiving server sees too much unwanted email from this account.", SEND_LESS],
  ["RecipientServerError", "receiver_problem", "The receiving server has a temporary problem.",
    NOTHING_TO_DO],
  ["IPFailure", "ip_blocked", "The receiving server is blocking or slowing down the sending IP address.",
    SEND_LESS],
  ["TransientCommunicationFailure", "connection_broken",
    "The connection to the receiving server broke.", NOTHING_TO_DO],
  ["BYOIPHostNameLookupUnavailable", "reverse_dns_failed",
    "The host name of your own IP address could not be resolved.", ASK_OPERATOR],
  ["Undetermined", "delayed", "The provider gave no reason.", NOTHING_TO_DO],
  ["SendingDeferral", "provider_deferral", "Amazon SES is holding the message.", NOTHING_TO_DO],
])

/** What people say of an email, by RFC 5965. */
export const FEEDBACK_TYPES: Map<string, Reason> = named("IANA, Messaging Abuse Reporting Format", [
  ["abuse", "complaint_abuse", "The recipient reported the email as spam.",
    "Do not email this address again. Check whether people asked for this kind of email."],
  ["auth-failure", "complaint_auth_failure",
    "The receiving server reported that the email's authentication failed.", AUTHENTICATE],
  ["fraud", "complaint_fraud", "The recipient reported the email as fraud or phishing.",
    "Check what was sent and by whom. Revoke the API key if it was not you."],
  ["not-spam", "not_spam", "The recipient marked the email as not spam.",
    "No action needed."],
  ["virus", "complaint_virus", "The recipient reported a virus in the email.",
    "Check the attachments and the links."],
  ["other", "complaint", "The recipient complained about the email.",
    "Do not email this address again."],
])

const ses = answers(SES_ERRORS, [
  [/AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set/, "provider_not_configured",
    "The credentials of Amazon SES are missing.", ASK_OPERATOR],
  [/Amazon SES: AccountSuspendedException/, "provider_account_suspended",
    "Amazon suspended the account.", "Ask the operator to contact AWS Support."],
  [/Amazon SES: SendingPausedException/, "provider_account_paused",
    "Sending is paused for the account or its configuration set.",
    "Ask the operator to fix what Amazon names, then resume sending."],
  [/Amazon SES: MailFromDomainNotVerifiedException/, "sender_not_verified",
    "Amazon cannot read the MX record for bounces.",
    "Check the domain's records, then verify it again."],
  [/Email address is not verified|identities failed the check/i, "sender_not_verified",
    "The sender is not verified at Amazon, or the account is still in Amazon's sandbox.",
    "Verify the domain again, or ask the operator to request production access from Amazon."],
  [/Amazon SES: MessageRejected|^Bad content$/, "content_problem",
    "Amazon SES rejected the content: a virus or an unsupported message.",
    "Check the attachments and headers."],
  [/Amazon SES: BadRequestException/, "provider_bad_request",
    "Amazon SES considers the message invalid.",
    "See the diagnostic, then check headers, addresses and sizes."],
  [/Amazon SES: NotFoundException/, "provider_not_configured",
    "Amazon SES cannot find something the message refers to, such as the configuration set.", ASK_OPERATOR],
  [/Amazon SES: (?:LimitExceeded|TooManyRequests|Throttling)\w{0,20}/, "provider_rate_limited",
    "The account exceeded its Amazon SES sending quota.",
    "Send less at a time, or ask the operator to request a higher quota from Amazon."],
  [/Amazon SES: (?:AccessDenied|InvalidSignature|SignatureDoesNotMatch|UnrecognizedClient|InvalidClientTokenId|MissingAuthentication|HTTP 403)/,
    "provider_credentials", "Amazon rejected this installation's credentials.", ASK_OPERATOR],
  [/^Amazon SES: /, "provider_problem", "Amazon SES had a problem.", ASK_OPERATOR],
])

const HEADERS = "Check your custom headers: their names, number and length."

const cloudflare = answers(CLOUDFLARE, [
  [/\bE_RECIPIENT_SUPPRESSED\b/, "suppressed_by_provider",
    "A recipient is on Cloudflare's suppression list, so the email was not sent to anyone.",
    ALLOW_AGAIN],
  [/\bE_SENDER_NOT_VERIFIED\b|\bE_SENDER_DOMAIN_NOT_AVAILABLE\b/, "sender_not_verified",
    "The domain is not set up for sending at Cloudflare.",
    "Verify the domain again. It must use Cloudflare DNS."],
  [/\bE_RECIPIENT_NOT_ALLOWED\b/, "recipient_not_allowed",
    "The binding may not send to this address.", ASK_OPERATOR],
  [/\bE_CONTENT_TOO_LARGE\b|takes at most 5 MiB a message/, "message_too_large",
    "The message is too large for Cloudflare.", "Use smaller attachments or link to them."],
  [/\bE_TOO_MANY_RECIPIENTS\b|Email Service takes at most \d+ recipients/, "too_many_recipients",
    "Cloudflare allows at most 50 recipients.", "Send to fewer recipients in one email."],
  [/\bE_TOO_MANY_ATTACHMENTS\b/, "too_many_attachments", "The email has too many attachments for Cloudflare.",
    "Send fewer attachments or a single archive."],
  [/\bE_RATE_LIMIT_EXCEEDED\b/, "provider_rate_limited", "The account exceeded Cloudflare's rate limit.",
    NOTHING_TO_DO],
  [/\bE_DAILY_LIMIT_EXCEEDED\b/, "daily_limit",
    "The account reached its daily limit at Cloudflare.",
    "Send the rest tomorrow, or ask the operator to request a higher limit from Cloudflare."],
  [/\bE_DELIVERY_FAILED\b/, "refused",
    "The receiving server rejected the message from Cloudflare.",
    "See the diagnostic and check the address."],
  [/\bE_INTERNAL_SERVER_ERROR\b/, "provider_problem", "Cloudflare Email Service had a problem.",
    "Try again later."],
  [/\bE_HEADER(?:S)?_[A-Z_]{1,40}|2,048 bytes a header/, "header_refused",
    "Cloudflare does not accept one of the headers.", HEADERS],
  [/\bE_VALIDATION_ERROR\b|\bE_FIELD_MISSING\b/, "provider_bad_request",
    "Cloudflare considers the message invalid.", "See the diagnostic."],
  [/takes one Reply-To address/, "header_refused", "Cloudflare allows one reply-to address.",
    "Use one address in 'replyTo'."],
  [/takes transactional mail only/, "provider_refuses_bulk", "The provider does not send campaigns.",
    "Ask the operator to set BULK_PROVIDER to a provider that does."],
  [/binding EMAIL is not configured/, "provider_not_configured",
    "The Worker has no email binding.", ASK_OPERATOR],
])

const own = answers(EDGEPOST, [
  [/^The provider never answered\.$/, "never_answered",
    "The provider did not respond to any attempt, so it may or may not have the message.",
    "Ask the recipient before you send it again. It may have arrived."],
  [/^The domain of 'from' was deleted or failed/, "domain_lost",
    "The domain was no longer verified when the email was due.",
    "Verify the domain again, then resend the email."],
  [/^The content of this email has been purged\.$/, "content_purged",
    "The content was deleted before the email could be sent.", "Send a new email."],
  [/^With the contact's values, this email has over \d+ characters\.$/, "message_too_large",
    "The contact's values make the email too long.",
    "Shorten this contact's values or use fewer merge fields."],
  [/^The sandbox rejects this recipient\.$/, "refused_by_sandbox",
    "The sandbox simulates a provider that rejects the message.",
    "No action needed. The 'reject' mailbox is for testing."],
  [/^The sandbox is briefly unavailable\.$/, "provider_problem",
    "The sandbox simulates a provider that is briefly unavailable.", NOTHING_TO_DO],
  [/^SMTP_HOST is not set\.$/, "provider_not_configured", "No SMTP server is configured.",
    ASK_OPERATOR],
  [/^The SMTP server could not be reached/, "provider_unreachable",
    "The SMTP server did not answer.", ASK_OPERATOR],
  [/^The SMTP server refused the credentials/, "provider_credentials",
    "The SMTP server rejected the user name or password.", ASK_OPERATOR],
  [/^The SMTP server refused the connection/, "provider_unreachable",
    "The SMTP server refused the connection.", ASK_OPERATOR],
  [/^The SMTP server took the message and did not answer\.$/, "never_answered",
    "The SMTP server did not confirm that it accepted the message.", NOTHING_TO_DO],
])

/** What providers answer to a send, and what this service says itself. */
export const PROVIDERS: readonly Answer[] = [...own, ...ses, ...cloudflare]

/** Why an email was cancelled. */
export const CANCELLATIONS: Map<string, Reason> = named(EDGEPOST, [
  ["suppressed_recipient", "suppressed_recipient",
    "A recipient was suppressed after the email was accepted.",
    "Remove the suppressed address and send again."],
  ["every_recipient_suppressed", "suppressed_recipient",
    "Every recipient was on the suppression list, so nobody was left to send it to.",
    "Send a new email to addresses that are not suppressed."],
  ["campaign_cancelled", "campaign_cancelled",
    "The campaign was cancelled or deleted before this email was sent.",
    "Create a new campaign if it is still needed."],
  ["unsubscribed", "unsubscribed",
    "The contact unsubscribed from the book or topic, or was removed, before this email was sent.",
    "No action needed."],
  ["erased", "erased", "A recipient's address was erased before this email was sent.",
    "No action needed."],
])
