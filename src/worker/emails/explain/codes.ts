// biome-ignore-all format: tables, several codes a line

import type { Code } from "./reasons.ts"

export type Codes = Readonly<Record<string, Code>>

/** RFC 3463 and IANA: by subject and detail, `X.1.1` as `1.1`. */
export const STATUS_CODES: Codes = {
  "1.0": "address_problem", "1.1": "mailbox_not_found", "1.2": "domain_not_found",
  "1.3": "address_malformed", "1.4": "address_ambiguous", "1.6": "mailbox_moved",
  "1.7": "sender_malformed", "1.8": "sender_domain_not_found", "1.9": "relayed_without_report",
  "1.10": "domain_takes_no_mail",
  "2.0": "mailbox_problem", "2.1": "mailbox_disabled", "2.2": "mailbox_full",
  "2.3": "message_too_large_for_mailbox", "2.4": "list_not_expanded",
  "3.0": "receiver_problem", "3.1": "receiver_full", "3.2": "receiver_not_accepting",
  "3.3": "receiver_lacks_feature", "3.4": "message_too_large", "3.5": "receiver_misconfigured",
  "4.0": "network_problem", "4.1": "receiver_no_answer", "4.2": "connection_broken",
  "4.3": "dns_failed", "4.4": "no_route", "4.5": "receiver_congested", "4.6": "routing_loop",
  "4.7": "delivery_expired",
  "5.0": "protocol_problem", "5.1": "invalid_command", "5.2": "syntax_error",
  "5.3": "too_many_recipients", "5.4": "invalid_arguments",
  "5.6": "authentication_exchange_too_long",
  "6.0": "content_problem", "6.1": "media_not_supported", "6.3": "conversion_needed",
  "6.7": "address_not_ascii",
  "7.0": "security_refusal", "7.1": "not_authorized", "7.2": "list_expansion_prohibited",
  "7.4": "security_feature_missing", "7.7": "message_integrity", "7.8": "credentials_refused",
  "7.10": "encryption_needed", "7.13": "account_disabled", "7.15": "priority_too_low",
  "7.16": "message_too_large_for_priority", "7.17": "mailbox_changed_owner",
  "7.18": "domain_changed_owner", "7.20": "dkim_missing", "7.21": "dkim_not_acceptable",
  "7.22": "dkim_not_aligned", "7.23": "spf_failed", "7.24": "spf_error",
  "7.25": "reverse_dns_failed", "7.26": "authentication_failed", "7.27": "sender_takes_no_mail",
  "7.28": "mail_flood", "7.29": "arc_failed", "7.30": "require_tls_unsupported",
}

/** RFC 5321, for answers without a status code. */
export const REPLY_CODES: Codes = {
  421: "receiver_closing", 450: "mailbox_unavailable", 451: "receiver_problem",
  452: "receiver_full", 550: "refused", 551: "mailbox_moved", 552: "storage_exceeded",
  553: "address_malformed", 554: "transaction_failed", 556: "domain_takes_no_mail",
}

/** Bounces that a list of Amazon SES made: no server was asked. */
export const LIST_BOUNCES: Codes = {
  Suppressed: "suppressed_by_provider", OnAccountSuppressionList: "suppressed_by_provider",
  OnTenantSuppressionList: "suppressed_by_provider",
  EmailValidationSuppressed: "suppressed_by_provider",
}

/** The bounce subtypes of Amazon SES. Used if the server's own words say less. */
export const BOUNCE_SUBTYPES: Codes = {
  NoEmail: "mailbox_not_found", MailboxFull: "mailbox_full", MessageTooLarge: "message_too_large",
  CustomTimeoutExceeded: "delivery_expired", ContentRejected: "content_problem",
  AttachmentRejected: "dangerous_attachment",
}

export const BOUNCE_TYPES: Codes = {
  Permanent: "bounced_for_good", Transient: "bounced_for_now", Undetermined: "bounced",
}

/** The delay types of Amazon SES. */
export const DELAY_TYPES: Codes = {
  InternalFailure: "provider_problem", General: "receiver_problem", MailboxFull: "mailbox_full",
  SpamDetected: "taken_for_spam", RecipientServerError: "receiver_problem", IPFailure: "ip_blocked",
  TransientCommunicationFailure: "connection_broken",
  BYOIPHostNameLookupUnavailable: "reverse_dns_failed", Undetermined: "delayed",
  SendingDeferral: "provider_deferral",
}

/** RFC 5965: what people say of an email. */
export const FEEDBACK_TYPES: Codes = {
  abuse: "complaint_abuse", "auth-failure": "complaint_auth_failure", fraud: "complaint_fraud",
  "not-spam": "not_spam", virus: "complaint_virus", other: "complaint",
}

export const CANCELLATIONS: Codes = {
  suppressed_recipient: "suppressed_recipient", campaign_cancelled: "campaign_cancelled",
  sequence_ended: "sequence_ended", unsubscribed: "unsubscribed", erased: "erased",
}
