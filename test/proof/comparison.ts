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
