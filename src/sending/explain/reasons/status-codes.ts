import { ASK_RECEIVER, AUTHENTICATE, FIX_ADDRESS, type Reason, TRY_LATER } from "./reason.ts"

const RFC3463 = "RFC 3463"
const IANA = "IANA, SMTP Enhanced Status Codes"

const reason = (code: string, meaning: string, mend: string, source = RFC3463): Reason => ({
  code,
  meaning,
  mend,
  source,
})

/** By subject and detail, `X.1.1` as `1.1`: class 4 means for now, class 5 for good. */
export const STATUS_CODES: Record<string, Reason> = {
  "1.0": reason("address_problem", "Something is wrong with an address.", FIX_ADDRESS),
  "1.1": reason(
    "mailbox_not_found",
    "The receiving server knows no mailbox of this name.",
    FIX_ADDRESS,
  ),
  "1.2": reason(
    "domain_not_found",
    "The recipient's domain does not exist or takes no mail.",
    "Check the spelling behind the @, or remove the address.",
  ),
  "1.3": reason("address_malformed", "The recipient's address is not well formed.", FIX_ADDRESS),
  "1.4": reason(
    "address_ambiguous",
    "The address fits several mailboxes there.",
    "Ask the recipient for the exact address.",
  ),
  "1.6": reason(
    "mailbox_moved",
    "The mailbox has moved and left no new address.",
    "Ask the recipient for the new address, and remove the old one.",
  ),
  "1.7": reason(
    "sender_malformed",
    "The receiving server takes the sender's address for malformed.",
    "Send from a plain address on your domain.",
  ),
  "1.8": reason(
    "sender_domain_not_found",
    "The receiving server cannot find the sender's domain, or mail cannot go back to it.",
    "Give the domain of 'from' an MX or A record.",
  ),
  "1.9": reason(
    "relayed_without_report",
    "The message went on to a system that reports nothing back.",
    "Nothing: no further report will come.",
    "RFC 3886, IANA",
  ),
  "1.10": reason(
    "domain_takes_no_mail",
    "The recipient's domain says by a null MX record that it takes no mail.",
    "Remove the address.",
    "RFC 7505, IANA",
  ),
  "2.0": reason("mailbox_problem", "Something is wrong with the recipient's mailbox.", TRY_LATER),
  "2.1": reason(
    "mailbox_disabled",
    "The mailbox exists and takes no messages: it is disabled, inactive or flooded.",
    "Ask the recipient another way; remove the address if it stays so.",
  ),
  "2.2": reason(
    "mailbox_full",
    "The recipient's mailbox is full.",
    "Send again in a few days; remove the address if it stays full.",
  ),
  "2.3": reason(
    "message_too_large_for_mailbox",
    "The message is larger than this mailbox takes.",
    "Make attachments smaller, or link to them.",
  ),
  "2.4": reason(
    "list_not_expanded",
    "The mailing list at this address could not be expanded.",
    "Ask the list's owner.",
  ),
  "3.0": reason("receiver_problem", "The receiving system has a problem.", TRY_LATER),
  "3.1": reason("receiver_full", "The receiving system has no room left.", TRY_LATER),
  "3.2": reason("receiver_not_accepting", "The receiving system takes no mail now.", TRY_LATER),
  "3.3": reason(
    "receiver_lacks_feature",
    "The receiving system lacks something that the message needs.",
    "Send a plainer message: ASCII addresses and fewer parts.",
  ),
  "3.4": reason(
    "message_too_large",
    "The message is larger than the receiving system takes.",
    "Make attachments smaller, or link to them.",
  ),
  "3.5": reason(
    "receiver_misconfigured",
    "The receiving system is not set up to take this message.",
    ASK_RECEIVER,
  ),
  "4.0": reason("network_problem", "The network or the routing failed.", TRY_LATER),
  "4.1": reason("receiver_no_answer", "The receiving server did not answer.", TRY_LATER),
  "4.2": reason("connection_broken", "The connection to the receiving server broke.", TRY_LATER),
  "4.3": reason("dns_failed", "A directory or DNS server did not answer.", TRY_LATER),
  "4.4": reason(
    "no_route",
    "No route leads to the recipient's domain: it has no mail server.",
    "Check the spelling behind the @; the domain's owner must publish an MX record.",
  ),
  "4.5": reason("receiver_congested", "The receiving system is overloaded.", TRY_LATER),
  "4.6": reason(
    "routing_loop",
    "The message ran in circles between servers.",
    "The recipient's administrator must mend a forwarding rule.",
  ),
  "4.7": reason(
    "delivery_expired",
    "The receiving server did not take the message in time.",
    "Send again later; check the spelling of the domain.",
  ),
  "5.0": reason("protocol_problem", "The two servers did not understand each other.", TRY_LATER),
  "5.1": reason("invalid_command", "The receiving server refused a command.", TRY_LATER),
  "5.2": reason(
    "syntax_error",
    "The receiving server could not read a command.",
    "Check the addresses for unusual characters.",
  ),
  "5.3": reason(
    "too_many_recipients",
    "The message has more recipients than the server takes at a time.",
    "Send to fewer recipients in one email.",
  ),
  "5.4": reason(
    "invalid_arguments",
    "A command had arguments that the receiving server does not take.",
    "Check the addresses for unusual characters.",
  ),
  "5.6": reason(
    "authentication_exchange_too_long",
    "The sign-in to the server was too long for it.",
    "The operator of this installation has to check the SMTP settings.",
    "RFC 4954, IANA",
  ),
  "6.0": reason(
    "content_problem",
    "Something in the message's content was refused.",
    "Change the content.",
  ),
  "6.1": reason(
    "media_not_supported",
    "The receiving system does not take this kind of content.",
    "Remove the attachment, or send another format.",
  ),
  "6.3": reason(
    "conversion_needed",
    "The message would have to be converted, and cannot be.",
    "Send a plainer message.",
  ),
  "6.7": reason(
    "address_not_ascii",
    "The receiving system takes no addresses beyond ASCII.",
    "Ask the recipient for an address in plain letters.",
    "RFC 6531, IANA",
  ),
  "7.0": reason(
    "security_refusal",
    "The receiving server refused the message for security or policy.",
    AUTHENTICATE,
  ),
  "7.1": reason(
    "not_authorized",
    "The receiving server does not take mail from you: by its policy, or as spam.",
    "Read its words in the diagnostic; check your domain's records and what you send.",
  ),
  "7.2": reason(
    "list_expansion_prohibited",
    "You may not write to this mailing list.",
    "Ask the list's owner to let you write to it.",
  ),
  "7.4": reason(
    "security_feature_missing",
    "The receiving server wants a security feature that was not used.",
    ASK_RECEIVER,
  ),
  "7.7": reason(
    "message_integrity",
    "The message was changed on its way, or seems so.",
    AUTHENTICATE,
  ),
  "7.8": reason(
    "credentials_refused",
    "The server refused the user name or password.",
    "The operator of this installation has to check the SMTP settings.",
    "RFC 4954, IANA",
  ),
  "7.10": reason(
    "encryption_needed",
    "The receiving server asks for encryption.",
    "The operator of this installation has to send with TLS.",
    "RFC 5248, IANA",
  ),
  "7.13": reason(
    "account_disabled",
    "The account is disabled.",
    "Remove the address if it is the recipient's account.",
    "RFC 5248, IANA",
  ),
  "7.15": reason(
    "priority_too_low",
    "The server takes only urgent mail now.",
    TRY_LATER,
    "RFC 6710, IANA",
  ),
  "7.16": reason(
    "message_too_large_for_priority",
    "The message is too large for its priority.",
    "Make attachments smaller, or link to them.",
    "RFC 6710, IANA",
  ),
  "7.17": reason(
    "mailbox_changed_owner",
    "The mailbox has another owner now.",
    "Remove the address: it belongs to somebody else.",
    "RFC 7293, IANA",
  ),
  "7.18": reason(
    "domain_changed_owner",
    "The recipient's domain has another owner now.",
    "Remove the addresses of this domain.",
    "RFC 7293, IANA",
  ),
  "7.20": reason("dkim_missing", "No DKIM signature passed.", AUTHENTICATE, "RFC 7372, IANA"),
  "7.21": reason(
    "dkim_not_acceptable",
    "The DKIM signature is not one that the server accepts.",
    AUTHENTICATE,
    "RFC 7372, IANA",
  ),
  "7.22": reason(
    "dkim_not_aligned",
    "The DKIM signature is by another domain than 'from'.",
    AUTHENTICATE,
    "RFC 7372, IANA",
  ),
  "7.23": reason(
    "spf_failed",
    "SPF did not allow the sending server.",
    AUTHENTICATE,
    "RFC 7372, IANA",
  ),
  "7.24": reason(
    "spf_error",
    "The SPF record is wrong or could not be read.",
    "Mend the domain's SPF record: one record, at most ten look-ups.",
    "RFC 7372, IANA",
  ),
  "7.25": reason(
    "reverse_dns_failed",
    "The sending server's address has no matching name in DNS.",
    "The operator of the sending server has to set its reverse DNS.",
    "RFC 7372, IANA",
  ),
  "7.26": reason(
    "authentication_failed",
    "Neither SPF nor DKIM vouched for the domain of 'from'.",
    AUTHENTICATE,
    "RFC 7372, IANA",
  ),
  "7.27": reason(
    "sender_takes_no_mail",
    "The sender's domain says by a null MX record that it takes no mail.",
    "Send from a domain that takes mail.",
    "RFC 7505, IANA",
  ),
  "7.28": reason(
    "mail_flood",
    "The server sees a flood of mail from you.",
    "Send slower, and only to people who asked for it.",
    IANA,
  ),
  "7.29": reason(
    "arc_failed",
    "The marks of forwarding servers (ARC) are not valid.",
    ASK_RECEIVER,
    "RFC 8617, IANA",
  ),
  "7.30": reason(
    "require_tls_unsupported",
    "The message must be encrypted on its way, and a server does not support that.",
    ASK_RECEIVER,
    "RFC 8689, IANA",
  ),
}

/** RFC 5321's own codes, for answers without an enhanced one. */
export const REPLY_CODES: Record<string, Reason> = {
  421: reason(
    "receiver_closing",
    "The receiving server closed the connection for now.",
    TRY_LATER,
    "RFC 5321",
  ),
  450: reason(
    "mailbox_unavailable",
    "The mailbox was busy or blocked for now.",
    TRY_LATER,
    "RFC 5321",
  ),
  451: reason("receiver_problem", "The receiving server had a problem.", TRY_LATER, "RFC 5321"),
  452: reason("receiver_full", "The receiving server was short of room.", TRY_LATER, "RFC 5321"),
  550: reason(
    "refused",
    "The receiving server refused the message: the mailbox is not there, or its policy is against it.",
    "Read its words in the diagnostic, and check the address.",
    "RFC 5321",
  ),
  551: reason("mailbox_moved", "The recipient is not at this server.", FIX_ADDRESS, "RFC 5321"),
  552: reason(
    "storage_exceeded",
    "The message is too large for the mailbox, or the mailbox is full.",
    "Make the message smaller, or send again later.",
    "RFC 5321",
  ),
  553: reason(
    "address_malformed",
    "The receiving server does not allow the address.",
    FIX_ADDRESS,
    "RFC 5321",
  ),
  554: reason(
    "transaction_failed",
    "The receiving server refused the message and said little.",
    "Read its words in the diagnostic; check your domain's records and what you send.",
    "RFC 5321",
  ),
  556: reason(
    "domain_takes_no_mail",
    "The recipient's domain takes no mail.",
    "Remove the address.",
    "RFC 7504",
  ),
}
