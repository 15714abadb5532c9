import type { Email } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { ExportDialog } from "../../ui/export-dialog.tsx"
import type { Range } from "./days.ts"
import { toListQuery } from "./query.ts"

const COLUMNS: Record<string, (email: Email) => string | null> = {
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

interface Props {
  q: string
  range: Range
  onClose(): void
}

export default function ExportEmails({ q, range, onClose }: Props) {
  const query = toListQuery(q, range)
  return (
    <ExportDialog
      title="Export emails"
      description="A CSV file with every email that the search finds, newest first."
      filename="emails.csv"
      read={(signal) => api.emails.iterate({ ...query, limit: 100 }, { signal })}
      toRow={(email) => Object.values(COLUMNS).map((read) => read(email) ?? "")}
      header={() => Object.keys(COLUMNS)}
      onClose={onClose}
    />
  )
}
