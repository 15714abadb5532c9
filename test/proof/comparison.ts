/** What each service says of itself in public. Nobody's figures were measured here. */
interface Compared {
  of: string
  edgepost: string
  others: [name: string, says: string, source: string][]
}

const PROMISES: Compared[] = [
  {
    of: "Calls that one customer may make",
    edgepost: "1,000 in 10 seconds by a key, 3,000 by a team",
    others: [
      ["Resend", "5 a second by a team", "resend.com/docs/api-reference/rate-limit"],
      ["Emailit", "2 a second for most calls", "emailit.com/docs/api-reference/rate-limits"],
    ],
  },
  {
    of: "How long a repeated call with the same key sends once",
    edgepost: "as long as the email's record is kept, 90 days by default",
    others: [
      ["Resend", "24 hours", "resend.com/changelog/idempotency-keys"],
      ["Brevo", "30 minutes", "developers.brevo.com/docs/heterogenous-versions-batch-emails"],
    ],
  },
  {
    of: "Attempts to deliver an event to a receiver that fails",
    edgepost: "6 over 10.6 hours, then a replay or a backfill by hand",
    others: [
      ["Resend", "8 over 27.6 hours", "resend.com/docs/webhooks/retries-and-replays"],
      [
        "Mailgun",
        "7 over about 8 hours",
        "documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-retries",
      ],
      [
        "Postmark, inbound mail",
        "11 over about 10.5 hours",
        "postmarkapp.com/support/article/understanding-inbound-webhook-retries-in-postmark",
      ],
    ],
  },
  {
    of: "Emails in one call",
    edgepost: "100, with attachments and schedules",
    others: [
      ["Resend", "100, without attachments", "resend.com/docs/dashboard/emails/batch-sending"],
      [
        "Postmark",
        "500, of 50 MB together",
        "postmarkapp.com/developer/user-guide/send-email-with-api/batch-emails",
      ],
      [
        "SendGrid",
        "one message to 1,000 recipients with values of their own",
        "www.twilio.com/docs/sendgrid/api-reference/mail-send/errors",
      ],
    ],
  },
  {
    of: "How far ahead an email may be scheduled",
    edgepost: "one year",
    others: [
      ["Resend", "30 days", "resend.com/docs/dashboard/emails/schedule-email"],
      [
        "SendGrid",
        "72 hours, campaigns aside",
        "sendgrid.com/docs/for-developers/sending-email/scheduling-parameters",
      ],
      [
        "Mailgun",
        "7 days, where the plan stores messages for as long",
        "documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/schedule-delivery",
      ],
    ],
  },
  {
    of: "Size of an email",
    edgepost: "10 MiB of attachments, and 5,000,000 characters each of html and text",
    others: [
      [
        "Postmark",
        "10 MB in all, and 5 MB each of html and text",
        "postmarkapp.com/support/article/1056-what-are-the-attachment-and-email-size-limits",
      ],
      [
        "Mailgun",
        "25 MB in all",
        "documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-http",
      ],
    ],
  },
  {
    of: "How long records and events of emails can be read",
    edgepost: "90 days by default, content 30; both are settings",
    others: [
      [
        "SendGrid",
        "30 days, which cannot be extended",
        "www.twilio.com/docs/sendgrid/api-reference/email-logs",
      ],
      [
        "Mailgun",
        "at least 3 days",
        "documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/events",
      ],
      ["Infobip", "48 hours", "www.infobip.com/docs/email/email-over-api/email-api-message-logs"],
    ],
  },
  {
    of: "Where the data is",
    edgepost: "in your own Cloudflare account, each team in a region or jurisdiction of D1",
    others: [
      [
        "SendGrid",
        "global, or in the EU for subusers there",
        "www.twilio.com/docs/sendgrid/api-reference/mail-send",
      ],
      [
        "Mailgun",
        "a region of the US or the EU for each domain",
        "documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-http",
      ],
    ],
  },
]

const rows = PROMISES.flatMap(({ of, edgepost, others }) => [
  `| ${of} | Edgepost | ${edgepost} | this repository |`,
  ...others.map(
    ([name, says, source]) => `| | ${name} | ${says} | [${source}](https://${source}) |`,
  ),
])

export const comparison = [
  "From the public documents of each service, as they read in November 2026 in stored copies. None of this was measured here, and plans differ.",
  "",
  "| promise | service | what it says | source |",
  "|---|---|---|---|",
  ...rows,
].join("\n")
