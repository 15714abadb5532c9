// biome-ignore-all format: a table, in which a row takes one or two lines

const FIX_ADDRESS = "Correct the address or remove it from your lists."
const REMOVE_ADDRESS = "Remove the address from your lists."
const TRY_LATER =
  "Try again later. If it keeps failing, ask whoever runs the server that answered."
const ASK_RECIPIENT = "Ask the recipient before you send it again. It may have arrived."
const ASK_RECEIVER = "Ask the recipient's administrator to allow your email."
const AUTHENTICATE = "Check your domain's SPF, DKIM and DMARC records, then verify it again."
const ASK_ADDRESS = "Ask the recipient for another address."
const ASK_LIST_OWNER = "Ask the list's owner for permission."
const SEE_DIAGNOSTIC = "See the diagnostic, then check addresses, headers, content and your domain."
const FIX_CONTENT = "Check the text, the links and the attachments."
const SMALLER = "Use smaller attachments or link to them."
const SIMPLER = "Send a simpler message with fewer parts, common formats and ASCII addresses."
const CHECK_HEADERS = "Check your custom headers: their names, number and length."
const SEND_LESS =
  "Send more slowly and only to people who asked for it. Remove addresses that bounce or never open."
const SEND_FEWER = "Send fewer emails at a time, or ask the operator to request a higher limit."
const ASK_HOSTER = "Ask the operator of the sending server to correct it."
const ASK_OPERATOR =
  "Ask the operator of this installation to check the provider's account and settings."
const SEND_NEW = "Send a new email if it is still needed."
const NOTHING = "No action needed."

/** Remedies that an email does not need while it is still tried. */
export const REPEATS: readonly string[] = [TRY_LATER, ASK_RECIPIENT]

interface Reason {
  meaning: string
  remedy: string
}

const table = <Code extends string>(rows: [code: Code, meaning: string, remedy: string][]) =>
  Object.fromEntries(rows.map(([code, meaning, remedy]) => [code, { meaning, remedy }])) as
    Record<Code, Reason>

/** Why an email was not delivered, and what its sender can do. */
export const REASONS = table([
  // The address and the mailbox
  ["address_problem", "There is a problem with an address.", FIX_ADDRESS],
  ["mailbox_not_found", "The receiving server has no mailbox with this name.", FIX_ADDRESS],
  ["domain_not_found", "The recipient's domain does not exist or accepts no email.", FIX_ADDRESS],
  ["address_malformed", "The receiving server rejects the form of the address.", FIX_ADDRESS],
  ["address_ambiguous", "The address matches several mailboxes.", ASK_ADDRESS],
  ["address_not_ascii", "The receiving server only accepts ASCII addresses.", ASK_ADDRESS],
  ["domain_takes_no_mail", "The recipient's domain does not accept email.", REMOVE_ADDRESS],
  ["domain_changed_owner", "The recipient's domain has a new owner.", REMOVE_ADDRESS],
  ["mailbox_moved", "The mailbox has moved without a forwarding address.", ASK_ADDRESS],
  ["mailbox_changed_owner", "The mailbox has a new owner.", REMOVE_ADDRESS],
  ["mailbox_problem", "There is a problem with the recipient's mailbox.", TRY_LATER],
  ["mailbox_unavailable", "The mailbox was temporarily unavailable.", TRY_LATER],
  ["mailbox_disabled", "The mailbox is disabled, inactive or overloaded.",
    "Contact the recipient another way. Remove the address if this does not change."],
  ["mailbox_full", "The recipient's mailbox is full.",
    "Try again in a few days. Remove the address if it stays full."],
  ["account_disabled", "The account is disabled.", REMOVE_ADDRESS],
  ["storage_exceeded", "The mailbox is full, or the message is too large for it.", SMALLER],
  ["list_not_expanded", "The mailing list at this address could not be expanded.", ASK_LIST_OWNER],
  ["list_expansion_prohibited", "You are not allowed to email this mailing list.", ASK_LIST_OWNER],
  ["recipient_flooded", "The recipient is receiving too much email at once.",
    "Try again later, and send less often to this recipient."],

  // The receiving server and the way to it
  ["receiver_problem", "The receiving server has a problem.", TRY_LATER],
  ["receiver_full", "The receiving server is full.", TRY_LATER],
  ["receiver_not_accepting", "The receiving server is not accepting email right now.", TRY_LATER],
  ["receiver_closing", "The receiving server temporarily closed the connection.", TRY_LATER],
  ["receiver_congested", "The receiving server is overloaded.", TRY_LATER],
  ["receiver_no_answer", "The receiving server did not answer.", TRY_LATER],
  ["receiver_misconfigured", "The receiving server is not set up to accept this message.",
    ASK_RECEIVER],
  ["receiver_lacks_feature", "The receiving server lacks a feature that the message needs.",
    SIMPLER],
  ["network_problem", "A network or routing problem occurred.", TRY_LATER],
  ["connection_broken", "The connection to the receiving server broke.", TRY_LATER],
  ["dns_failed", "A directory or DNS server did not answer.", TRY_LATER],
  ["no_route", "The recipient's domain has no mail server.",
    "Check the domain for typos. Otherwise, its owner must publish an MX record."],
  ["routing_loop", "The message was forwarded in a loop.",
    "Ask the recipient's administrator to fix the forwarding rule."],
  ["delivery_expired", "The receiving server did not accept the message in time.", TRY_LATER],
  ["relayed_without_report", "The message was forwarded to a system that does not send reports.",
    "No action needed. There will be no further report."],
  ["greylisted", "The receiving server delays email from new senders.",
    "No action needed. The next attempt usually works."],
  ["priority_too_low", "The receiving server only accepts urgent email right now.", TRY_LATER],
  ["protocol_problem", "The two servers did not understand each other.", TRY_LATER],
  ["invalid_command", "The receiving server refused a command.", TRY_LATER],
  ["syntax_error", "The receiving server could not read a command.", FIX_ADDRESS],
  ["invalid_arguments", "The receiving server rejected an argument of a command.", FIX_ADDRESS],
  ["refused", "The receiving server rejected the message: no such mailbox, or a policy.",
    SEE_DIAGNOSTIC],
  ["transaction_failed", "The receiving server rejected the message without details.",
    SEE_DIAGNOSTIC],

  // The message
  ["message_too_large", "The message is too large.", SMALLER],
  ["message_too_large_for_mailbox", "The message is too large for this mailbox.", SMALLER],
  ["message_too_large_for_priority", "The message is too large for its priority.", SMALLER],
  ["message_malformed", "A header is missing, duplicated or malformed.", CHECK_HEADERS],
  ["header_refused", "The provider does not accept one of the headers.", CHECK_HEADERS],
  ["message_integrity", "The message seems to have been changed in transit.", AUTHENTICATE],
  ["too_many_recipients", "The message has too many recipients for the server.",
    "Send to fewer recipients in one email."],
  ["too_many_attachments", "The message has too many attachments for the provider.",
    "Send fewer attachments or a single archive."],
  ["dangerous_attachment", "An attachment was refused, such as a program or an encrypted archive.",
    "Remove the attachment or link to the file."],
  ["media_not_supported", "The receiving server does not accept this kind of content.", SIMPLER],
  ["conversion_needed", "The message could not be converted to the required format.", SIMPLER],
  ["content_problem", "The content of the message was rejected.", FIX_CONTENT],
  ["suspicious_content", "The receiving server considers a link or an attachment dangerous.",
    FIX_CONTENT],
  ["taken_for_spam", "The receiving server considers the message spam.", SEND_LESS],
  ["content_purged", "The content was deleted before the email could be sent.", SEND_NEW],

  // The sender, its domain and its reputation
  ["sender_malformed", "The receiving server considers the sender's address malformed.",
    "Send from a plain address on your domain."],
  ["sender_domain_not_found", "The receiving server cannot find the sender's domain.",
    "Add an MX or A record to the domain of 'from'."],
  ["sender_takes_no_mail", "The sender's domain has a null MX record: it does not accept email.",
    "Send from a domain that accepts email."],
  ["sender_not_verified", "The domain of 'from' is not verified at the provider.",
    "Verify the domain again. The operator may need to set it up at the provider, or leave its sandbox."],
  ["sender_not_allowed", "The recipient only accepts email from approved senders.",
    "Ask the recipient to allow your address."],
  ["sender_blocked", "The receiving server banned the sender.",
    "Follow the link in the diagnostic to have the ban lifted."],
  ["domain_lost", "The domain was no longer verified when the email was due.",
    "Verify the domain again, then resend the email."],
  ["domain_reputation", "Your domain has a very low reputation at the receiving server.",
    "Check your domain in Google Postmaster Tools. Send only to people who asked for it."],
  ["authentication_failed", "The domain of 'from' did not pass SPF, DKIM or DMARC.", AUTHENTICATE],
  ["spf_failed", "SPF did not allow the sending server.", AUTHENTICATE],
  ["spf_error", "The SPF record is invalid, suspicious or could not be read.",
    "Fix the domain's SPF record: one record, at most ten look-ups, only services that send for you."],
  ["dkim_missing", "No DKIM signature passed.", AUTHENTICATE],
  ["dkim_not_acceptable", "The server does not accept the DKIM signature.", AUTHENTICATE],
  ["dkim_not_aligned", "The DKIM signature does not match the domain of 'from'.", AUTHENTICATE],
  ["dmarc_policy", "Your DMARC policy tells servers to reject what passes neither SPF nor DKIM.",
    AUTHENTICATE],
  ["dmarc_missing", "The receiving server requires a DMARC record, and your domain has none.",
    "Publish the TXT record 'v=DMARC1; p=none' at _dmarc under your domain."],
  ["dmarc_not_aligned", "SPF and DKIM do not match the domain of 'from'.", AUTHENTICATE],
  ["arc_failed", "The ARC headers of forwarding servers are not valid.", ASK_RECEIVER],
  ["not_authorized", "The receiving server does not accept your email, by policy or as spam.",
    SEE_DIAGNOSTIC],
  ["security_refusal", "The receiving server rejected the message by its security policy.",
    AUTHENTICATE],
  ["receiver_policy", "A rule of the recipient's organisation blocks the message.", ASK_RECEIVER],
  ["rate_limited_by_receiver", "The receiving server is limiting your email for now.", SEND_LESS],
  ["mail_flood", "The receiving server is getting too much email from you.", SEND_LESS],
  ["guessed_addresses", "The receiving server sees you send to addresses that do not exist.",
    "Remove addresses that bounce. Never send to guessed or purchased addresses."],

  // The sending server
  ["ip_blocked", "The sending server is on a block list.",
    "Ask your email provider. The owner of the address can ask the list that the diagnostic names."],
  ["ip_reputation", "The sending server's IP address has a very low reputation.",
    "Ask your email provider for another IP address."],
  ["ip_not_for_mail", "The receiving server takes no email from home connections or infected machines.",
    "Send through an email provider."],
  ["open_relay", "The receiving server considers the sending server an open relay.", ASK_HOSTER],
  ["reverse_dns_failed", "The sending server's IP address has no name in DNS.", ASK_HOSTER],
  ["encryption_needed", "The receiving server requires encryption.", ASK_HOSTER],
  ["security_feature_missing", "The receiving server requires a security feature.", ASK_RECEIVER],
  ["require_tls_unsupported", "The message needs encryption, and a server does not support that.",
    ASK_RECEIVER],

  // The provider
  ["provider_problem", "The provider could not accept the message.", TRY_LATER],
  ["provider_deferral", "The provider is holding the message.", TRY_LATER],
  ["provider_unreachable", "The provider's server did not answer or refused the connection.",
    ASK_OPERATOR],
  ["provider_not_configured", "The provider is not completely configured.", ASK_OPERATOR],
  ["provider_credentials", "The provider rejected this installation's credentials.", ASK_OPERATOR],
  ["credentials_refused", "The server rejected the user name or password.", ASK_OPERATOR],
  ["authentication_exchange_too_long", "The sign-in to the server was too long.", ASK_OPERATOR],
  ["provider_account_suspended", "The provider suspended the account.", ASK_OPERATOR],
  ["provider_account_paused", "The provider paused sending for the account.", ASK_OPERATOR],
  ["provider_bad_request", "The provider considers the message invalid.", SEE_DIAGNOSTIC],
  ["provider_rate_limited", "The account exceeded the provider's sending rate.", SEND_FEWER],
  ["provider_refuses_bulk", "The provider does not send campaigns.",
    "Ask the operator to set BULK_PROVIDER to a provider that does."],
  ["daily_limit", "The account reached its daily limit at the provider.", SEND_FEWER],
  ["recipient_not_allowed", "The provider may not send to this address.", ASK_OPERATOR],
  ["suppressed_by_provider", "Not attempted: the address is on a suppression list of the provider.",
    "Make sure the address works, then remove it from the provider's list."],
  ["never_answered", "The provider did not confirm the message, so it may or may not have it.",
    ASK_RECIPIENT],
  ["refused_by_sandbox", "The sandbox simulates a provider that rejects the message.",
    "No action needed. The 'reject' mailbox is for testing."],

  // Bounces, delays and complaints of which no more is known
  ["bounced_for_good", "The receiving server permanently rejected the message.", REMOVE_ADDRESS],
  ["bounced_for_now", "The receiving server temporarily rejected the message.", TRY_LATER],
  ["bounced", "The message bounced without a reason.",
    "Try once more. Remove the address if it bounces again."],
  ["delayed", "The provider gave no reason for the delay.", TRY_LATER],
  ["complaint", "The recipient complained about the email.", "Do not email this address again."],
  ["complaint_abuse", "The recipient reported the email as spam.",
    "Do not email this address again. Check whether people asked for this kind of email."],
  ["complaint_auth_failure", "The receiving server reported that the authentication failed.",
    AUTHENTICATE],
  ["complaint_fraud", "The recipient reported the email as fraud or phishing.",
    "Check what was sent and by whom. Revoke the API key if it was not you."],
  ["complaint_virus", "The recipient reported a virus in the email.", FIX_CONTENT],
  ["not_spam", "The recipient marked the email as not spam.", NOTHING],

  // Cancellations
  ["cancelled_by_call", "It was cancelled by your team or your app before it was sent.", SEND_NEW],
  ["suppressed_recipient", "The email was not sent because of the suppression list.",
    "Send a new email to addresses that are not suppressed."],
  ["campaign_cancelled", "The campaign was cancelled or deleted before this email was sent.",
    "Create a new campaign if it is still needed."],
  ["sequence_ended", "The contact's run or the sequence ended before this email was sent.", NOTHING],
  ["unsubscribed", "The contact unsubscribed or was removed before this email was sent.", NOTHING],
  ["erased", "A recipient's address was erased before this email was sent.", NOTHING],
])

export type Code = keyof typeof REASONS
