import { describe, expect, it } from "vitest"
import { PROVIDERS, RECEIVERS, WORDS } from "../../../src/worker/emails/explain/answers.ts"
import {
  enhancedStatusOf,
  explainEntry,
  explainFailure,
} from "../../../src/worker/emails/explain/cause.ts"
import * as codes from "../../../src/worker/emails/explain/codes.ts"
import { REASONS } from "../../../src/worker/emails/explain/reasons.ts"

/** Answers as servers gave them. */
const ANSWERS: [answer: string, code: string, enhancedStatus: string | null][] = [
  // Gmail
  [
    "smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550-5.1.1 unnecessary spaces. - gsmtp",
    "mailbox_not_found",
    "5.1.1",
  ],
  [
    "550-5.7.26 This mail has been blocked because the sender is unauthenticated. 550-5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.",
    "authentication_failed",
    "5.7.26",
  ],
  [
    "550-5.7.26 Unauthenticated email from example.com is not accepted due to 550-5.7.26 domain's DMARC policy. Please contact the administrator",
    "dmarc_policy",
    "5.7.26",
  ],
  [
    "421-4.7.28 Gmail has detected an unusual rate of unsolicited email originating 421-4.7.28 from your DKIM domain",
    "rate_limited_by_receiver",
    "4.7.28",
  ],
  [
    "421-4.7.28 [203.0.113.9] Our system has detected an unusual rate of unsolicited mail originating from your IP address.",
    "rate_limited_by_receiver",
    "4.7.28",
  ],
  [
    "552-5.2.2 The recipient's inbox is out of storage space and inactive. Please 552-5.2.2 direct the recipient to",
    "mailbox_full",
    "5.2.2",
  ],
  ["452 4.2.2 The email account that you tried to reach is over quota.", "mailbox_full", "4.2.2"],
  ["550 5.2.1 The email account that you tried to reach is inactive.", "mailbox_disabled", "5.2.1"],
  [
    "450-4.2.1 The user you are trying to contact is receiving email at a rate that 450-4.2.1 prevents additional messages from being delivered.",
    "recipient_flooded",
    "4.2.1",
  ],
  [
    "550 5.7.1 [203.0.113.9 12] Our system has detected that this message is likely unsolicited mail.",
    "taken_for_spam",
    "5.7.1",
  ],
  [
    "552 5.7.0 This message was blocked because its content presents a potential security issue.",
    "dangerous_attachment",
    "5.7.0",
  ],
  [
    "550 5.7.1 This message violates example.com email policy. - gcdp abc - gsmtp",
    "receiver_policy",
    "5.7.1",
  ],
  [
    "421 4.7.0 [203.0.113.9] Our system has detected that this message is suspicious due to the very low reputation of the sending domain.",
    "domain_reputation",
    "4.7.0",
  ],
  [
    "550-5.7.25 [203.0.113.9] The IP address sending this message does not have a PTR record setup",
    "reverse_dns_failed",
    "5.7.25",
  ],
  [
    "550-5.7.30 Your email has been blocked because DKIM authentication didn't pass",
    "dkim_missing",
    "5.7.30",
  ],
  // Microsoft
  [
    "550 5.7.515 Access denied, sending domain EXAMPLE.COM does not meet the required authentication level.",
    "authentication_failed",
    "5.7.515",
  ],
  [
    "550 5.7.1 Unfortunately, messages from [203.0.113.9] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3140).",
    "ip_blocked",
    "5.7.1",
  ],
  [
    "550 SC-001 (COL004-MC4F40) Unfortunately, messages from 203.0.113.9 weren't sent.",
    "taken_for_spam",
    null,
  ],
  [
    "421 RP-001 (BAY004-MC1F1) Unfortunately, some messages from 203.0.113.9 weren't sent. Please try again.",
    "rate_limited_by_receiver",
    null,
  ],
  [
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
    "mailbox_not_found",
    "5.1.10",
  ],
  [
    "550 5.4.1 Recipient address rejected: Access denied. [2023-09-18T12:48:32.808Z 08DBB45899852BA7]",
    "mailbox_not_found",
    "5.4.1",
  ],
  [
    "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302). [2023-09-19T15:05:34.324Z]",
    "mailbox_not_found",
    "5.5.0",
  ],
  [
    "550 5.7.606 Access denied, banned sending IP [203.0.113.9]. To request removal from this list please visit https://sender.office.com/",
    "ip_blocked",
    "5.7.606",
  ],
  ["432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded", "recipient_flooded", "4.3.2"],
  ["550 4.4.7 QUEUE.Expired; message expired", "delivery_expired", "4.4.7"],
  [
    "451 4.7.500 Server busy. Please try again later from [203.0.113.9].",
    "rate_limited_by_receiver",
    "4.7.500",
  ],
  ["421 4.4.5 Server busy, try again later.", "receiver_congested", "4.4.5"],
  // Yahoo
  [
    "421 4.7.0 [TSS04] Messages from 203.0.113.9 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes",
    "rate_limited_by_receiver",
    "4.7.0",
  ],
  ["553 5.7.1 [BL21] Connections will not be accepted from 203.0.113.9", "ip_blocked", "5.7.1"],
  [
    "554 delivery error: dd This user doesn't have a yahoo.com account (a@yahoo.com) [-5] - mta123.mail.mud.yahoo.com",
    "mailbox_not_found",
    null,
  ],
  [
    "554 5.7.9 Message not accepted for policy reasons. See https://postmaster.yahooinc.com/error-codes",
    "authentication_failed",
    "5.7.9",
  ],
  [
    "451 example.yahoo.com Resources temporarily unavailable. Please try again later [#4.16.1].",
    "receiver_congested",
    null,
  ],
  // iCloud
  [
    "550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137",
    "taken_for_spam",
    "5.7.1",
  ],
  ["554 5.7.1 [HM08] Message rejected due to local policy.", "taken_for_spam", "5.7.1"],
  [
    "421 4.7.1 Messages to example@icloud.com deferred due to excessive volume. Try again later",
    "recipient_flooded",
    "4.7.1",
  ],
  ["550 5.7.1 Your message was rejected due to example.com DMARC policy.", "dmarc_policy", "5.7.1"],
  ["550 5.1.1 <example@icloud.com>: user does not exist", "mailbox_not_found", "5.1.1"],
  // others
  [
    "554 5.7.1 Service unavailable; Client host [203.0.113.9] blocked using zen.spamhaus.org",
    "ip_blocked",
    "5.7.1",
  ],
  [
    "450 4.2.0 <a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch",
    "greylisted",
    "4.2.0",
  ],
  ["550 No such user (a@b.example)", "mailbox_not_found", null],
  [
    "550 cuda_nsu 5.1.1 <a@b.example> Recipient address rejected: User unknown",
    "mailbox_not_found",
    "5.1.1",
  ],
  ["smtp; 550 5.7.1 relaying denied", "not_authorized", "5.7.1"],
  ["smtp; 550 5.2.99 something", "mailbox_problem", "5.2.99"],
  ["smtp; 556 domain does not accept mail", "domain_takes_no_mail", null],
  ["552 message too big", "storage_exceeded", null],
]

describe("the table of causes", () => {
  it("has each code once, with a sentence of each kind, and no code that nothing leads to", () => {
    const used = new Set<string>([
      "cancelled_by_call",
      ...[...PROVIDERS, ...RECEIVERS, ...WORDS].map(([, code]) => code),
      ...Object.values(codes).flatMap((table) => Object.values(table)),
    ])
    expect(Object.keys(REASONS).sort()).toEqual([...used].sort())
    for (const [code, { meaning, remedy }] of Object.entries(REASONS)) {
      expect(code).toMatch(/^[a-z_]+$/)
      for (const text of [meaning, remedy]) expect(text).toMatch(/^[A-Z].*\.$/)
    }
  })

  it("takes a name that every object has for no code", () => {
    const data = { bounceType: "Permanent", bounceSubType: "constructor" } as const
    expect(explainEntry("bounced", data)?.cause.code).toBe("bounced_for_good")
  })

  it.each(ANSWERS)("reads %s", (diagnosticCode, code, enhancedStatus) => {
    const explained = explainEntry("bounced", { bounceType: "Undetermined", diagnosticCode })
    expect(explained?.cause).toMatchObject({ code, enhancedStatus, diagnostic: diagnosticCode })
  })

  it.each([
    ["Permanent", "General", "bounced_for_good"],
    ["Permanent", "NoEmail", "mailbox_not_found"],
    ["Permanent", "Suppressed", "suppressed_by_provider"],
    ["Permanent", "OnAccountSuppressionList", "suppressed_by_provider"],
    ["Transient", "General", "bounced_for_now"],
    ["Transient", "MessageTooLarge", "message_too_large"],
    ["Transient", "CustomTimeoutExceeded", "delivery_expired"],
    ["Transient", "ContentRejected", "content_problem"],
    ["Transient", "AttachmentRejected", "dangerous_attachment"],
    ["Undetermined", "Undetermined", "bounced"],
  ] as const)("reads a bounce %s, %s", (bounceType, bounceSubType, code) => {
    const data = { bounceType, bounceSubType }
    expect(explainEntry("bounced", data)?.cause.code).toBe(code)
  })

  it("believes a provider's list rather than the words that it adds", () => {
    const data = {
      bounceType: "Permanent" as const,
      bounceSubType: "OnAccountSuppressionList",
      diagnosticCode: "Amazon SES did not send the message to this address because 5.1.1",
    }
    expect(explainEntry("bounced", data)?.cause.code).toBe("suppressed_by_provider")
  })

  it.each([
    ["Amazon SES: AccountSuspendedException: Account is suspended", "provider_account_suspended"],
    ["Amazon SES: SendingPausedException: Sending is paused", "provider_account_paused"],
    ["Amazon SES: MailFromDomainNotVerifiedException: …", "sender_not_verified"],
    [
      "Amazon SES: MessageRejected: Email address is not verified. The following identities failed the check in region US-EAST-1: a@b.example",
      "sender_not_verified",
    ],
    ["Amazon SES: MessageRejected: Bad content", "content_problem"],
    ["Bad content", "content_problem"],
    ["Amazon SES: BadRequestException: Illegal address", "provider_bad_request"],
    [
      "Amazon SES: TooManyRequestsException: Maximum sending rate exceeded.",
      "provider_rate_limited",
    ],
    ["Amazon SES: SignatureDoesNotMatch: …", "provider_credentials"],
    ["Amazon SES: HTTP 500: no further words", "provider_problem"],
    ["AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.", "provider_not_configured"],
    [
      "Cloudflare Email Service: E_RECIPIENT_SUPPRESSED: Recipient is on suppression list",
      "suppressed_by_provider",
    ],
    ["Cloudflare Email Service: E_SENDER_DOMAIN_NOT_AVAILABLE: …", "sender_not_verified"],
    ["Cloudflare Email Service: E_DAILY_LIMIT_EXCEEDED: …", "daily_limit"],
    ["Cloudflare Email Service: E_HEADERS_TOO_LARGE: …", "header_refused"],
    ["Cloudflare Email Service: E_HEADER_NOT_ALLOWED: …", "header_refused"],
    ["Cloudflare Email Service takes at most 5 MiB a message.", "message_too_large"],
    ["Cloudflare Email Service takes at most 50 recipients.", "too_many_recipients"],
    ["Cloudflare Email Service takes at most 2,048 bytes a header: X-A.", "header_refused"],
    ["Cloudflare Email Service takes one Reply-To address.", "header_refused"],
    [
      "Cloudflare Email Service takes transactional mail only. BULK_PROVIDER names another provider for campaigns.",
      "provider_refuses_bulk",
    ],
    ["SMTP_HOST is not set.", "provider_not_configured"],
    ["The SMTP server refused the credentials (535).", "provider_credentials"],
    ["The SMTP server refused the connection (554).", "provider_unreachable"],
    ["550 5.7.1 relay access denied", "not_authorized"],
    ["451 4.3.0 Mail server temporarily rejected message", "receiver_problem"],
    ["Something nobody knows", "provider_problem"],
    [null, "provider_problem"],
  ])("reads the provider's %s", (reason, code) => {
    expect(explainFailure(reason).cause.code).toBe(code)
  })

  it.each([
    ["550 5.1.1 unknown", "5.1.1"],
    ["550-5.7.26 blocked.", "5.7.26"],
    ["(5.2.2)", "5.2.2"],
    ["Client host 5.1.1.7 blocked", null],
    ["from 192.5.1.1 by relay", null],
    ["version 5.1.1.2.3", null],
    ["3.1.1", null],
    [null, null],
  ])("finds in %j the status %j", (words, status) => {
    expect(enhancedStatusOf(words)).toBe(status)
  })
})
