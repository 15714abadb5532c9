/** The members of each body of Resend's API. */
export const RESEND_BODIES: Record<string, string> = {
  "POST /emails":
    "from to cc bcc reply_to subject html text headers scheduled_at tags attachments template topic_id",
  "POST /emails/batch": "from to html headers tags attachments template",
  "PATCH /emails/:id": "scheduled_at",
  "POST /events/send": "event email contact_id payload",
  "POST /automations": "name status steps connections",
  "PATCH /automations/:id": "name status steps connections",
  "POST /domains": "name",
  "POST /api-keys": "name permission domain_id",
  "POST /contacts": "email first_name last_name unsubscribed properties segments topics",
  "PATCH /contacts/a@b.co": "first_name last_name unsubscribed properties",
  "POST /segments": "name",
  "PATCH /segments/:id": "name",
  "POST /broadcasts":
    "name segment_id audience_id preview_text from html reply_to subject text topic_id send scheduled_at",
  "PATCH /broadcasts/:id":
    "name segment_id audience_id from html text subject reply_to preview_text topic_id",
  "POST /broadcasts/:id/send": "scheduled_at",
  "POST /suppressions": "email",
  "POST /suppressions/batch/add": "emails",
  "POST /suppressions/batch/remove": "emails ids",
  "POST /templates": "name alias subject html text from reply_to variables",
  "PATCH /templates/t": "name subject html text variables",
  "POST /webhooks": "endpoint events status",
  "PATCH /webhooks/:id": "endpoint events status",
}

/** The members that a call cannot be without. */
export const NEEDED = {
  ...{ from: "a@demo.test", to: "b@example.com", subject: "S", html: "x", name: "N" },
  ...{ email: "a@b.co", endpoint: "https://a.example.com", events: ["email.sent"] },
}
