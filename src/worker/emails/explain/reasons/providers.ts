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

const ALLOW_AGAIN = "Make sure that the address works, then take it off the provider's list."

/** Bounces that a list of the provider made: no server was asked. */
export const LISTED_SUBTYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["Suppressed", "suppressed_by_provider",
    "Amazon SES did not try: the address has bounced for other senders lately.", ALLOW_AGAIN],
  ["OnAccountSuppressionList", "suppressed_by_provider",
    "Amazon SES did not try: the address is on the suppression list of the account.", ALLOW_AGAIN],
  ["OnTenantSuppressionList", "suppressed_by_provider",
    "Amazon SES did not try: the address is on the suppression list of the tenant.", ALLOW_AGAIN],
  ["EmailValidationSuppressed", "suppressed_by_provider",
    "Amazon SES did not try: its validation takes the address for a bad one.", FIX_ADDRESS],
])

/** How SES classifies a bounce. Used if the server's own words say less. */
export const BOUNCE_SUBTYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["NoEmail", "mailbox_not_found", "The address does not exist.", FIX_ADDRESS],
  ["MailboxFull", "mailbox_full", "The recipient's mailbox is full.",
    "Send again in a few days; remove the address if it stays full."],
  ["MessageTooLarge", "message_too_large", "The message is larger than the receiving system takes.",
    "Make attachments smaller, or link to them."],
  ["CustomTimeoutExceeded", "delivery_expired",
    "The provider could not deliver the message in the time that it was given.", TRY_LATER],
  ["ContentRejected", "content_problem", "The receiving server refused the content.",
    "Check the words and the links."],
  ["AttachmentRejected", "dangerous_attachment", "The receiving server refused an attachment.",
    "Remove the attachment, or link to the file."],
])

export const BOUNCE_TYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["Permanent", "bounced_for_good", "The receiving server refused the message for good.",
    "Remove the address from your lists."],
  ["Transient", "bounced_for_now",
    "The receiving server refused the message for now, and the provider has given up.",
    "Send again later."],
  ["Undetermined", "bounced", "The message came back, and nobody said why.",
    "Send again once; remove the address if it comes back again."],
])

export const DELAY_TYPES: Map<string, Reason> = named(SES_EVENTS, [
  ["InternalFailure", "provider_problem", "Amazon SES has a problem of its own.", NOTHING_TO_DO],
  ["General", "receiver_problem", "The talk with the receiving server failed.", NOTHING_TO_DO],
  ["MailboxFull", "mailbox_full", "The recipient's mailbox is full.", NOTHING_TO_DO],
  ["SpamDetected", "taken_for_spam",
    "The receiving server sees much mail from the account that nobody asked for.", SEND_LESS],
  ["RecipientServerError", "receiver_problem", "The receiving server has a problem for now.",
    NOTHING_TO_DO],
  ["IPFailure", "ip_blocked", "The receiving server blocks or slows down the sending address.",
    SEND_LESS],
  ["TransientCommunicationFailure", "connection_broken",
    "The connection to the receiving server broke.", NOTHING_TO_DO],
  ["BYOIPHostNameLookupUnavailable", "reverse_dns_failed",
    "The name of your own sending address could not be looked up.", ASK_OPERATOR],
  ["Undetermined", "delayed", "The provider cannot tell why.", NOTHING_TO_DO],
  ["SendingDeferral", "provider_deferral", "Amazon SES holds the message back.", NOTHING_TO_DO],
])

/** What people say of an email, by RFC 5965. */
export const FEEDBACK_TYPES: Map<string, Reason> = named("IANA, Messaging Abuse Reporting Format", [
  ["abuse", "complaint_abuse", "The recipient reported the email as spam.",
    "Do not write to this address again; check whether people asked for this kind of mail."],
  ["auth-failure", "complaint_auth_failure",
    "The receiving server reported that the email's authentication failed.", AUTHENTICATE],
  ["fraud", "complaint_fraud", "The recipient reported the email as fraud or phishing.",
    "Check what was sent and by whom; revoke the API key if it was not you."],
  ["not-spam", "not_spam", "The recipient said that the email is no spam.",
    "Nothing: the address stays as it is."],
  ["virus", "complaint_virus", "The recipient reported a virus in the email.",
    "Check the attachments and where the links lead."],
  ["other", "complaint", "The recipient complained of the email.",
    "Do not write to this address again."],
])

const ses = answers(SES_ERRORS, [
  [/AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set/, "provider_not_configured",
    "The credentials of Amazon SES are missing.", ASK_OPERATOR],
  [/Amazon SES: AccountSuspendedException/, "provider_account_suspended",
    "Amazon has barred the account from sending for good.", "The operator has to ask AWS Support."],
  [/Amazon SES: SendingPausedException/, "provider_account_paused",
    "Sending is paused for the account or its configuration set.",
    "The operator has to mend what Amazon names, then lift the pause."],
  [/Amazon SES: MailFromDomainNotVerifiedException/, "sender_not_verified",
    "Amazon cannot read the MX record of the domain for bounces.",
    "Check the records of the domain, and verify it again."],
  [/Email address is not verified|identities failed the check/i, "sender_not_verified",
    "Amazon knows no verified identity of the sender, or the account is still in Amazon's sandbox.",
    "Verify the domain again; the operator asks Amazon for production access."],
  [/Amazon SES: MessageRejected|^Bad content$/, "content_problem",
    "Amazon SES refused the content: a virus, or a message that it cannot send.",
    "Check the attachments and the headers."],
  [/Amazon SES: BadRequestException/, "provider_bad_request",
    "Amazon SES takes the message for invalid.",
    "Read its words in the diagnostic; check headers, addresses and sizes."],
  [/Amazon SES: NotFoundException/, "provider_not_configured",
    "Amazon SES does not find what the message refers to, as the configuration set.", ASK_OPERATOR],
  [/Amazon SES: (?:LimitExceeded|TooManyRequests|Throttling)\w{0,20}/, "provider_rate_limited",
    "The account is over what Amazon SES lets it send in a second or a day.",
    "Send less at a time; the operator asks Amazon for a higher quota."],
  [/Amazon SES: (?:AccessDenied|InvalidSignature|SignatureDoesNotMatch|UnrecognizedClient|InvalidClientTokenId|MissingAuthentication|HTTP 403)/,
    "provider_credentials", "Amazon refused this installation's credentials.", ASK_OPERATOR],
  [/^Amazon SES: /, "provider_problem", "Amazon SES had a problem.", ASK_OPERATOR],
])

const HEADERS = "Check the headers that you set yourself: their names, number and length."

const cloudflare = answers(CLOUDFLARE, [
  [/\bE_RECIPIENT_SUPPRESSED\b/, "suppressed_by_provider",
    "A recipient is on Cloudflare's suppression list, so that nobody of this email got it.",
    ALLOW_AGAIN],
  [/\bE_SENDER_NOT_VERIFIED\b|\bE_SENDER_DOMAIN_NOT_AVAILABLE\b/, "sender_not_verified",
    "The domain is not set up for sending at Cloudflare.",
    "Verify the domain again; it must use Cloudflare's DNS."],
  [/\bE_RECIPIENT_NOT_ALLOWED\b/, "recipient_not_allowed",
    "The binding may not send to this address.", ASK_OPERATOR],
  [/\bE_CONTENT_TOO_LARGE\b|takes at most 5 MiB a message/, "message_too_large",
    "The message is larger than Cloudflare takes.", "Make attachments smaller, or link to them."],
  [/\bE_TOO_MANY_RECIPIENTS\b|Email Service takes at most \d+ recipients/, "too_many_recipients",
    "Cloudflare takes at most 50 recipients.", "Send to fewer recipients in one email."],
  [/\bE_TOO_MANY_ATTACHMENTS\b/, "too_many_attachments", "Cloudflare takes fewer attachments.",
    "Send fewer attachments, or one archive."],
  [/\bE_RATE_LIMIT_EXCEEDED\b/, "provider_rate_limited", "The account is over Cloudflare's rate.",
    NOTHING_TO_DO],
  [/\bE_DAILY_LIMIT_EXCEEDED\b/, "daily_limit",
    "The account has sent its share of the day at Cloudflare.",
    "Send the rest tomorrow; the operator asks Cloudflare for a higher limit."],
  [/\bE_DELIVERY_FAILED\b/, "refused",
    "Cloudflare could not deliver the message: the receiving server refused it.",
    "Read its words in the diagnostic, and check the address."],
  [/\bE_INTERNAL_SERVER_ERROR\b/, "provider_problem", "Cloudflare Email Service had a problem.",
    "Send again later."],
  [/\bE_HEADER(?:S)?_[A-Z_]{1,40}|2,048 bytes a header/, "header_refused",
    "Cloudflare does not take one of the headers.", HEADERS],
  [/\bE_VALIDATION_ERROR\b|\bE_FIELD_MISSING\b/, "provider_bad_request",
    "Cloudflare takes the message for invalid.", "Read its words in the diagnostic."],
  [/takes one Reply-To address/, "header_refused", "Cloudflare takes one address to reply to.",
    "Give one address in 'replyTo'."],
  [/takes transactional mail only/, "provider_refuses_bulk", "The provider takes no campaigns.",
    "The operator has to set BULK_PROVIDER to a provider that takes them."],
  [/binding EMAIL is not configured/, "provider_not_configured",
    "The Worker has no binding to send email with.", ASK_OPERATOR],
])

const own = answers(EDGEPOST, [
  [/^The provider never answered\.$/, "never_answered",
    "The provider answered none of the attempts, so that nobody knows whether it has the message.",
    "Ask the recipient before you send it again: it may have arrived."],
  [/^The domain of 'from' was deleted or failed/, "domain_lost",
    "The team could not send from this domain any more when the email was due.",
    "Verify the domain again, then send the email anew."],
  [/^The content of this email has been purged\.$/, "content_purged",
    "The content was purged before the email could go out.", "Send it anew."],
  [/^With the contact's values, this email has over \d+ characters\.$/, "message_too_large",
    "The contact's values make the campaign's message too long.",
    "Shorten the values of this contact, or use fewer merge fields."],
  [/^The sandbox rejects this recipient\.$/, "refused_by_sandbox",
    "The sandbox plays a provider that refuses the message.",
    "Nothing: the mailbox 'reject' is made for this."],
  [/^The sandbox is briefly unavailable\.$/, "provider_problem",
    "The sandbox plays a provider that is away for a moment.", NOTHING_TO_DO],
  [/^SMTP_HOST is not set\.$/, "provider_not_configured", "No SMTP server is configured.",
    ASK_OPERATOR],
  [/^The SMTP server could not be reached/, "provider_unreachable",
    "The SMTP server did not answer.", ASK_OPERATOR],
  [/^The SMTP server refused the credentials/, "provider_credentials",
    "The SMTP server refused the user name or the password.", ASK_OPERATOR],
  [/^The SMTP server refused the connection/, "provider_unreachable",
    "The SMTP server refused the connection.", ASK_OPERATOR],
  [/^The SMTP server took the message and did not answer\.$/, "never_answered",
    "The SMTP server took the message and did not say whether it accepts it.", NOTHING_TO_DO],
])

/** What providers answer to a send, and what this service says itself. */
export const PROVIDERS: readonly Answer[] = [...own, ...ses, ...cloudflare]

/** Why an email was cancelled. */
export const CANCELLATIONS: Map<string, Reason> = named(EDGEPOST, [
  ["suppressed_recipient", "suppressed_recipient",
    "A recipient was put on the suppression list after the email was accepted.",
    "Leave the suppressed address out and send again."],
  ["campaign_cancelled", "campaign_cancelled",
    "Its campaign was cancelled or deleted before the email went out.",
    "Make a new campaign if the email is still wanted."],
  ["unsubscribed", "unsubscribed",
    "The contact unsubscribed from the book or the topic, or left the book, before the email went out.",
    "Nothing: the contact wants no such mail."],
  ["erased", "erased", "A recipient's address was erased before the email went out.",
    "Nothing: the person asked to be forgotten."],
])
