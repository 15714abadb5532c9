// biome-ignore-all format: tables, an answer a line

import type { Code } from "./reasons.ts"

/** Of such lists the first pattern counts. Patterns are linear: others write the answers. */
export type Answers = readonly [pattern: RegExp, code: Code][]

/** What providers answer to a send, and what this service says itself. */
export const PROVIDERS: Answers = [
  // Edgepost
  [/^The provider never answered\.$/, "never_answered"],
  [/^The domain of 'from' was deleted or failed/, "domain_lost"],
  [/^The content of this email has been purged\.$/, "content_purged"],
  [/^With the contact's values, this email has over \d+ characters\.$/, "message_too_large"],
  [/^The sandbox rejects this recipient\.$/, "refused_by_sandbox"],
  [/^The sandbox is briefly unavailable\.$/, "provider_problem"],
  [/^SMTP_HOST is not set\.$/, "provider_not_configured"],
  [/^The SMTP server refused the credentials/, "provider_credentials"],
  [/^The SMTP server (?:could not be reached|refused the connection)/, "provider_unreachable"],
  [/^The SMTP server took the message and did not answer\.$/, "never_answered"],

  // Amazon SES API v2, SendEmail
  [/AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set/, "provider_not_configured"],
  [/Amazon SES: AccountSuspendedException/, "provider_account_suspended"],
  [/Amazon SES: SendingPausedException/, "provider_account_paused"],
  [/Amazon SES: MailFromDomainNotVerifiedException/, "sender_not_verified"],
  [/Email address is not verified|identities failed the check/i, "sender_not_verified"],
  [/Amazon SES: MessageRejected|^Bad content$/, "content_problem"],
  [/Amazon SES: BadRequestException/, "provider_bad_request"],
  [/Amazon SES: NotFoundException/, "provider_not_configured"],
  [/Amazon SES: (?:LimitExceeded|TooManyRequests|Throttling)\w{0,20}/, "provider_rate_limited"],
  [/Amazon SES: (?:AccessDenied|InvalidSignature|SignatureDoesNotMatch|UnrecognizedClient|InvalidClientTokenId|MissingAuthentication|HTTP 403)/, "provider_credentials"],
  [/^Amazon SES: /, "provider_problem"],

  // Cloudflare Email Service, Workers API
  [/\bE_RECIPIENT_SUPPRESSED\b/, "suppressed_by_provider"],
  [/\bE_SENDER_NOT_VERIFIED\b|\bE_SENDER_DOMAIN_NOT_AVAILABLE\b/, "sender_not_verified"],
  [/\bE_RECIPIENT_NOT_ALLOWED\b/, "recipient_not_allowed"],
  [/\bE_CONTENT_TOO_LARGE\b|takes at most 5 MiB a message/, "message_too_large"],
  [/\bE_TOO_MANY_RECIPIENTS\b|Email Service takes at most \d+ recipients/, "too_many_recipients"],
  [/\bE_TOO_MANY_ATTACHMENTS\b/, "too_many_attachments"],
  [/\bE_RATE_LIMIT_EXCEEDED\b/, "provider_rate_limited"],
  [/\bE_DAILY_LIMIT_EXCEEDED\b/, "daily_limit"],
  [/\bE_DELIVERY_FAILED\b/, "refused"],
  [/\bE_INTERNAL_SERVER_ERROR\b/, "provider_problem"],
  [/\bE_HEADER(?:S)?_[A-Z_]{1,40}|2,048 bytes a header/, "header_refused"],
  [/\bE_VALIDATION_ERROR\b|\bE_FIELD_MISSING\b/, "provider_bad_request"],
  [/takes one Reply-To address/, "header_refused"],
  [/takes transactional mail only/, "provider_refuses_bulk"],
  [/binding EMAIL is not configured/, "provider_not_configured"],
]

/** What known receiving servers say. */
export const RECEIVERS: Answers = [
  // Gmail SMTP errors and codes, support.google.com/a/answer/3726730
  [/not accepted due to domain's DMARC policy/i, "dmarc_policy"],
  [/because (?:it|the sender) is unauthenticated/i, "authentication_failed"],
  [/SPF authentication didn't pass|authenticate their email with SPF/i, "spf_failed"],
  [/DKIM authentication didn't pass|authenticate their email with DKIM/i, "dkim_missing"],
  [/doesn't have a DMARC record|DMARC record doesn't specify a DMARC policy/i, "dmarc_missing"],
  [/isn't aligned with either the authenticated SPF or DKIM/i, "dmarc_not_aligned"],
  [/not using a TLS connection/i, "encryption_needed"],
  [/(?:doesn't|does not) have a PTR record|sending guidelines regarding PTR/i, "reverse_dns_failed"],
  [/SPF record of the sending domain has one or more suspicious/i, "spf_error"],
  [/unusual (?:rate|amount) of (?:unsolicited )?e?mail/i, "rate_limited_by_receiver"],
  [/very low reputation of the sending domain/i, "domain_reputation"],
  [/very low reputation of the sending IP/i, "ip_reputation"],
  [/suspicious due to the nature of the content/i, "suspicious_content"],
  [/likely (?:unsolicited|suspicious)|message is likely unsolicited/i, "taken_for_spam"],
  [/receiving e?mail (?:too quickly|at a rate)/i, "recipient_flooded"],
  [/out of storage space|tried to reach is over quota/i, "mailbox_full"],
  [/account that you tried to reach is (?:inactive|disabled)/i, "mailbox_disabled"],
  [/account that you tried to reach does not exist/i, "mailbox_not_found"],
  [/content presents a potential security issue/i, "dangerous_attachment"],
  [/\bgcdp\b|violates \S{1,100} email policy|IP not in whitelist for RCPT domain/i, "receiver_policy"],
  [/Daily (?:user |SMTP relay )?sending (?:limit|quota) exceeded/i, "daily_limit"],
  [/not RFC 5322 compliant|missing a valid (?:address in the From|Message-ID)/i, "message_malformed"],

  // Outlook.com postmaster, SMTP error codes
  [/\b5\.7\.515\b|does not meet the required authentication level/i, "authentication_failed"],
  [/\(A?S3140\)|\(A?S3150\)|part of their network is on our block list/i, "ip_blocked"],
  [/\bRP-00[123]\b/, "rate_limited_by_receiver"],
  [/\b(?:SC-001|OU-002)\b/, "taken_for_spam"],
  [/\bSC-002\b/, "guessed_addresses"],
  [/\bSC-003\b/, "open_relay"],
  [/\bSC-004\b/, "ip_blocked"],
  [/\bDY-00[12]\b/, "ip_not_for_mail"],
  [/\bOU-001\b/, "ip_blocked"],

  // Microsoft, non-delivery reports in Exchange Online
  [/RESOLVER\.ADR\.\w{0,30}NotFound|\b5\.1\.10\b/i, "mailbox_not_found"],
  [/5\.4\.1 Recipient address rejected: Access denied/i, "mailbox_not_found"],
  [/5\.5\.0 Requested action not taken: mailbox unavailable/i, "mailbox_not_found"],
  [/recipient thread limit exceeded/i, "recipient_flooded"],
  [/\b5\.7\.6(?:0[6-9]|[1-4]\d)\b|banned sending IP/i, "ip_blocked"],
  [/\b5\.7\.511\b|banned sender/i, "sender_blocked"],
  [/\b5\.7\.509\b|does not pass DMARC verification/i, "dmarc_policy"],
  [/\b5\.7\.(?:124|133|134|135|136)\b|RESOLVER\.RST\./, "sender_not_allowed"],
  [/\b4\.7\.[56]\d\d\b/, "rate_limited_by_receiver"],
  [/\b5\.4\.14\b|hop count exceeded/i, "routing_loop"],

  // Yahoo Sender Hub, SMTP error codes
  [/\[TSS?\d{2}\]|temporarily deferred due to (?:unexpected volume|user complaints)/i, "rate_limited_by_receiver"],
  [/\[BL\d{2}\]/, "ip_blocked"],
  [/\[PH\d{2}\]/, "suspicious_content"],
  [/doesn't have an? \S{1,80} account|\bdd (?:This user|Requested mail action)/i, "mailbox_not_found"],
  [/5\.7\.9 Message not accepted for policy reasons/i, "authentication_failed"],
  [/Resources temporarily (?:not available|unavailable)/i, "receiver_congested"],
  [/Unresolvable RFC.?\d{4} from domain/i, "sender_domain_not_found"],
  [/failed RFC compliance|not RFC compliant/i, "message_malformed"],

  // Apple, iCloud Mail for postmasters (support.apple.com/102322), smtp.codes
  [/\[(?:CS|HM)\d{2}\]|rejected due to local policy/i, "taken_for_spam"],
  [/deferred due to excessive volume/i, "recipient_flooded"],
  [/rejected due to \S{1,253} DMARC policy/i, "dmarc_policy"],
  [/inactive email address/i, "mailbox_disabled"],

  // Block lists and filters, by their own words
  [/\bspamhaus\b|proofpoint\.com|\bcloudmark\b|barracudacentral|\bbarracuda\b/i, "ip_blocked"],
  [/gr[ae]y[- ]?list/i, "greylisted"],
  [/black[- ]?list|block[- ]?list|\b(?:RBL|DNSBL)\b/i, "ip_blocked"],
]

/** What servers say that give no telling code. */
export const WORDS: Answers = [
  [/user unknown|unknown user|no such (?:user|recipient|mailbox)|user (?:doesn't|does not) exist|recipient (?:not found|unknown)|mailbox not found|invalid recipient/i, "mailbox_not_found"],
  [/mailbox (?:is )?full|over ?quota|quota exceeded|exceeded storage/i, "mailbox_full"],
  [/\bspam\b|unsolicited|bulk mail/i, "taken_for_spam"],
  [/too many (?:connections|messages|emails)|rate limit|throttl/i, "rate_limited_by_receiver"],
  [/timed? ?out|connection (?:refused|reset|lost|dropped)/i, "receiver_no_answer"],
]
