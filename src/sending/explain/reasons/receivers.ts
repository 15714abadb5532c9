import {
  type Answer,
  ASK_RECEIVER,
  AUTHENTICATE,
  answers,
  FIX_ADDRESS,
  SEND_LESS,
  TRY_LATER,
} from "./reason.ts"

const gmail = answers("Gmail SMTP errors and codes, support.google.com/a/answer/3726730", [
  [
    /not accepted due to domain's DMARC policy/i,
    "dmarc_policy",
    "Your domain's DMARC policy tells Gmail to refuse mail that neither SPF nor DKIM vouches for.",
    AUTHENTICATE,
  ],
  [
    /because (?:it|the sender) is unauthenticated/i,
    "authentication_failed",
    "Gmail takes only mail for whose domain SPF or DKIM vouches.",
    AUTHENTICATE,
  ],
  [
    /SPF authentication didn't pass|authenticate their email with SPF/i,
    "spf_failed",
    "Gmail asks bulk senders for SPF, and it did not pass.",
    AUTHENTICATE,
  ],
  [
    /DKIM authentication didn't pass|authenticate their email with DKIM/i,
    "dkim_missing",
    "Gmail asks bulk senders for DKIM, and it did not pass.",
    AUTHENTICATE,
  ],
  [
    /doesn't have a DMARC record|DMARC record doesn't specify a DMARC policy/i,
    "dmarc_missing",
    "Gmail asks bulk senders for a DMARC record, and your domain has none.",
    "Publish the TXT record 'v=DMARC1; p=none' at _dmarc under your domain.",
  ],
  [
    /isn't aligned with either the authenticated SPF or DKIM/i,
    "dmarc_not_aligned",
    "SPF and DKIM vouch for another domain than the one of 'from'.",
    AUTHENTICATE,
  ],
  [
    /not using a TLS connection/i,
    "encryption_needed",
    "Gmail asks bulk senders for encrypted connections.",
    "The operator of this installation has to send with TLS.",
  ],
  [
    /(?:doesn't|does not) have a PTR record|sending guidelines regarding PTR/i,
    "reverse_dns_failed",
    "The sending server's address has no matching name in DNS.",
    "The operator of the sending server has to set its reverse DNS.",
  ],
  [
    /SPF record of the sending domain has one or more suspicious/i,
    "spf_error",
    "Gmail finds suspicious entries in your domain's SPF record.",
    "Keep in the SPF record only the services that send for you.",
  ],
  [
    /unusual (?:rate|amount) of (?:unsolicited )?e?mail/i,
    "rate_limited_by_receiver",
    "Gmail sees unusually much mail from you, or much that nobody asked for.",
    SEND_LESS,
  ],
  [
    /very low reputation of the sending domain/i,
    "domain_reputation",
    "Your domain has a very low reputation at Gmail.",
    "Watch your domain in Google Postmaster Tools; send only to people who asked for it.",
  ],
  [
    /very low reputation of the sending IP/i,
    "ip_reputation",
    "The sending server's address has a very low reputation at Gmail.",
    "Ask your mail provider for another address to send from.",
  ],
  [
    /suspicious due to the nature of the content/i,
    "suspicious_content",
    "Gmail finds the words or the links of the message suspicious.",
    "Check where the links lead, shorteners above all, and what the message says.",
  ],
  [
    /likely (?:unsolicited|suspicious)|message is likely unsolicited/i,
    "taken_for_spam",
    "Gmail takes the message for spam.",
    SEND_LESS,
  ],
  [
    /receiving e?mail (?:too quickly|at a rate)/i,
    "recipient_flooded",
    "The recipient gets more mail than the mailbox takes at a time.",
    "Send again later, and less often to this recipient.",
  ],
  [
    /out of storage space and inactive/i,
    "mailbox_full",
    "The recipient's mailbox is full, and nobody has used it for long.",
    "Remove the address.",
  ],
  [
    /out of storage space|tried to reach is over quota/i,
    "mailbox_full",
    "The recipient's mailbox is full.",
    "Send again in a few days; remove the address if it stays full.",
  ],
  [
    /account that you tried to reach is (?:inactive|disabled)/i,
    "mailbox_disabled",
    "The recipient's account is inactive.",
    "Remove the address.",
  ],
  [
    /account that you tried to reach does not exist/i,
    "mailbox_not_found",
    "Gmail knows no mailbox of this name.",
    FIX_ADDRESS,
  ],
  [
    /content presents a potential security issue/i,
    "dangerous_attachment",
    "Gmail takes no attachments of this kind: programs, scripts, encrypted archives.",
    "Remove the attachment, or link to the file.",
  ],
  [
    /\bgcdp\b|violates \S{1,100} email policy/i,
    "receiver_policy",
    "A rule of the recipient's organisation refuses the message.",
    ASK_RECEIVER,
  ],
  [
    /Daily (?:user |SMTP relay )?sending (?:limit|quota) exceeded/i,
    "daily_limit",
    "The account that relays the message has sent its share of the day.",
    "Send the rest tomorrow, or through another provider.",
  ],
  [
    /IP not in whitelist for RCPT domain/i,
    "receiver_policy",
    "The recipient's domain takes mail from listed servers only.",
    ASK_RECEIVER,
  ],
  [
    /not RFC 5322 compliant|missing a valid (?:address in the From|Message-ID)/i,
    "message_malformed",
    "Gmail finds a header missing, doubled or malformed.",
    "Check the headers that you set yourself.",
  ],
])

const OUTLOOK = "Outlook.com postmaster, SMTP error codes"
const EXCHANGE = "Microsoft, non-delivery reports in Exchange Online"

const outlook = answers(OUTLOOK, [
  [
    /\b5\.7\.515\b|does not meet the required authentication level/i,
    "authentication_failed",
    "Outlook.com asks domains with over 5,000 messages a day for SPF, DKIM and DMARC.",
    AUTHENTICATE,
  ],
  [
    /\(A?S3140\)|\(A?S3150\)|part of their network is on our block list/i,
    "ip_blocked",
    "Outlook.com has blocked the address of the sending server.",
    "Ask your mail provider; the owner of the address asks Microsoft at sender.office.com.",
  ],
  [
    /\bRP-00[123]\b/,
    "rate_limited_by_receiver",
    "The sending server is over the rate that Outlook.com allows it by its reputation.",
    SEND_LESS,
  ],
  [
    /\b(?:SC-001|OU-002)\b/,
    "taken_for_spam",
    "Outlook.com refuses the message for its content or the sender's reputation.",
    "Check the words and the links; send only to people who asked for it.",
  ],
  [
    /\bSC-002\b/,
    "guessed_addresses",
    "Outlook.com sees you try addresses that do not exist.",
    "Remove addresses that bounce; never send to guessed or bought ones.",
  ],
  [
    /\bSC-003\b/,
    "open_relay",
    "Outlook.com takes the sending server for an open relay.",
    "The operator of the sending server has to close it.",
  ],
  [
    /\bSC-004\b/,
    "ip_blocked",
    "Outlook.com has blocked the sending server because its users complained.",
    SEND_LESS,
  ],
  [
    /\bDY-00[12]\b/,
    "ip_not_for_mail",
    "Outlook.com takes no mail from addresses of homes or infected machines.",
    "Send through a mail provider.",
  ],
  [
    /\bOU-001\b/,
    "ip_blocked",
    "Spamhaus lists the address of the sending server, and Outlook.com believes it.",
    "Ask your mail provider; the owner of the address asks Spamhaus for removal.",
  ],
])

const exchange = answers(EXCHANGE, [
  [
    /RESOLVER\.ADR\.\w{0,30}NotFound|\b5\.1\.10\b/i,
    "mailbox_not_found",
    "The recipient's organisation at Microsoft has no mailbox of this name.",
    FIX_ADDRESS,
  ],
  [
    /5\.4\.1 Recipient address rejected: Access denied/i,
    "mailbox_not_found",
    "The directory of the recipient's organisation does not have the address.",
    FIX_ADDRESS,
  ],
  [
    /5\.5\.0 Requested action not taken: mailbox unavailable/i,
    "mailbox_not_found",
    "Outlook.com has no such mailbox, or it was closed.",
    FIX_ADDRESS,
  ],
  [
    /recipient thread limit exceeded/i,
    "recipient_flooded",
    "The recipient gets more mail than the mailbox takes at a time.",
    "Send again later, and less often to this recipient.",
  ],
  [
    /\b5\.7\.6(?:0[6-9]|[1-4]\d)\b|banned sending IP/i,
    "ip_blocked",
    "Microsoft has banned the address of the sending server.",
    "Ask your mail provider; the owner of the address asks Microsoft at sender.office.com.",
  ],
  [
    /\b5\.7\.511\b|banned sender/i,
    "sender_blocked",
    "Microsoft has banned the sender.",
    "Follow the link in the diagnostic to have the ban lifted.",
  ],
  [
    /\b5\.7\.509\b|does not pass DMARC verification/i,
    "dmarc_policy",
    "Your domain's DMARC policy tells Microsoft to refuse mail that neither SPF nor DKIM vouches for.",
    AUTHENTICATE,
  ],
  [
    /\b5\.7\.(?:124|133|134|135|136)\b|RESOLVER\.RST\./,
    "sender_not_allowed",
    "The recipient takes mail from chosen senders only.",
    "Ask the recipient to allow your address.",
  ],
  [
    /\b4\.7\.[56]\d\d\b/,
    "rate_limited_by_receiver",
    "Microsoft slows the sending server down.",
    SEND_LESS,
  ],
  [
    /\b5\.4\.14\b|hop count exceeded/i,
    "routing_loop",
    "The message ran in circles between servers.",
    "The recipient's administrator must mend a forwarding rule.",
  ],
])

const yahoo = answers("Yahoo Sender Hub, SMTP error codes", [
  [
    /\[TSS?\d{2}\]|temporarily deferred due to (?:unexpected volume|user complaints)/i,
    "rate_limited_by_receiver",
    "Yahoo slows you down: unexpected volume, or complaints of its users.",
    SEND_LESS,
  ],
  [
    /\[BL\d{2}\]/,
    "ip_blocked",
    "Spamhaus lists the address of the sending server, and Yahoo believes it.",
    "Ask your mail provider; the owner of the address asks Spamhaus for removal.",
  ],
  [
    /\[PH\d{2}\]/,
    "suspicious_content",
    "Yahoo finds something in the content that it never takes: malware, phishing, or a link to it.",
    "Check where each link leads, and each attachment.",
  ],
  [
    /doesn't have an? \S{1,80} account|\bdd (?:This user|Requested mail action)/i,
    "mailbox_not_found",
    "Yahoo has no such account.",
    FIX_ADDRESS,
  ],
  [
    /5\.7\.9 Message not accepted for policy reasons/i,
    "authentication_failed",
    "Yahoo could not tell by SPF, DKIM and DMARC that the message is yours.",
    AUTHENTICATE,
  ],
  [
    /Resources temporarily (?:not available|unavailable)/i,
    "receiver_congested",
    "Yahoo's servers were busy.",
    TRY_LATER,
  ],
  [
    /Unresolvable RFC.?\d{4} from domain/i,
    "sender_domain_not_found",
    "Yahoo finds no SOA, MX or A record of the sender's domain.",
    "Give the domain of 'from' an MX or A record.",
  ],
  [
    /failed RFC compliance|not RFC compliant/i,
    "message_malformed",
    "Yahoo finds a header missing, doubled or malformed.",
    "Check the headers that you set yourself.",
  ],
])

const apple = answers("Apple, iCloud Mail for postmasters (support.apple.com/102322), smtp.codes", [
  [
    /\[(?:CS|HM)\d{2}\]|rejected due to local policy/i,
    "taken_for_spam",
    "A filter of iCloud Mail refuses the message: its content, or the sender's reputation.",
    "Check the links and the words; write to icloudadmin@apple.com with the diagnostic if it goes on.",
  ],
  [
    /deferred due to excessive volume/i,
    "recipient_flooded",
    "iCloud Mail gets more mail for this recipient than it takes at a time.",
    "Send again later, and less often to this recipient.",
  ],
  [
    /rejected due to \S{1,253} DMARC policy/i,
    "dmarc_policy",
    "Your domain's DMARC policy tells iCloud Mail to refuse mail that neither SPF nor DKIM vouches for.",
    AUTHENTICATE,
  ],
  [
    /inactive email address/i,
    "mailbox_disabled",
    "The recipient has switched the address off.",
    "Remove the address if it stays so.",
  ],
])

const filters = answers("Block lists and filters, by their own words", [
  [
    /spamhaus\.org|\bSpamhaus\b/i,
    "ip_blocked",
    "Spamhaus lists the sending server, its domain or a link in the message.",
    "Look yourself up at check.spamhaus.org; ask your mail provider if it is the server.",
  ],
  [
    /proofpoint\.com|\bcloudmark\b/i,
    "ip_blocked",
    "Proofpoint's filter blocks the sending server.",
    "Ask your mail provider; the owner of the address asks at ipcheck.proofpoint.com.",
  ],
  [
    /barracudacentral|\bbarracuda\b/i,
    "ip_blocked",
    "Barracuda's filter blocks the sending server.",
    "Ask your mail provider; the owner of the address asks at barracudacentral.org.",
  ],
  [
    /gr[ae]y[- ]?list/i,
    "greylisted",
    "The receiving server puts off mail of senders that it does not know yet.",
    "Nothing: the next try is taken as a rule.",
  ],
  [
    /black[- ]?list|block[- ]?list|\b(?:RBL|DNSBL)\b/i,
    "ip_blocked",
    "A block list names the sending server.",
    "Ask your mail provider to have the address removed from the list.",
  ],
])

/** What receiving servers say: the first that fits. */
export const RECEIVERS: readonly Answer[] = [
  ...gmail,
  ...outlook,
  ...exchange,
  ...yahoo,
  ...apple,
  ...filters,
]

/** Words of servers that give no telling code. */
export const WORDS: readonly Answer[] = answers("Servers' usual words", [
  [
    /user unknown|unknown user|no such (?:user|recipient|mailbox)|user (?:doesn't|does not) exist|recipient (?:not found|unknown)|mailbox not found|invalid recipient/i,
    "mailbox_not_found",
    "The receiving server knows no mailbox of this name.",
    FIX_ADDRESS,
  ],
  [
    /mailbox (?:is )?full|over ?quota|quota exceeded|exceeded storage/i,
    "mailbox_full",
    "The recipient's mailbox is full.",
    "Send again in a few days; remove the address if it stays full.",
  ],
  [
    /\bspam\b|unsolicited|bulk mail/i,
    "taken_for_spam",
    "The receiving server takes the message for spam.",
    SEND_LESS,
  ],
  [
    /too many (?:connections|messages|emails)|rate limit|throttl/i,
    "rate_limited_by_receiver",
    "The receiving server takes no more from you for now.",
    SEND_LESS,
  ],
  [
    /timed? ?out|connection (?:refused|reset|lost|dropped)/i,
    "receiver_no_answer",
    "The receiving server did not answer.",
    TRY_LATER,
  ],
])
