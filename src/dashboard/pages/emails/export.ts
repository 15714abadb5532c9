import type { Email } from "../../../client/types.ts"

/** The columns of an export of emails. */
export const EXPORTED: Record<string, (email: Email) => string | null> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt,
  sent_at: ({ sentAt }) => sentAt,
  status: ({ status }) => status,
  from: ({ from }) => from,
  to: ({ to }) => to.join(", "),
  cc: ({ cc }) => cc.join(", "),
  bcc: ({ bcc }) => bcc.join(", "),
  subject: ({ subject }) => subject,
  tags: ({ tags }) =>
    Object.entries(tags)
      .map(([key, value]) => `${key}:${value}`)
      .join(" "),
  campaign_id: ({ campaignId }) => campaignId,
  template_id: ({ templateId }) => templateId,
  last_error: ({ lastError }) => lastError,
}
