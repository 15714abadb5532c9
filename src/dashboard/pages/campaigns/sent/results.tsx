import type { Campaign, Email } from "../../../../client/types.ts"
import { EMAIL_STATUSES } from "../../../../worker/emails/statuses.ts"
import { api } from "../../../api/api.ts"
import { useLivePages } from "../../../api/live-pages.ts"
import { readEmailRows } from "../../../api/queries.ts"
import { Link } from "../../../app/link.tsx"
import { useFilters } from "../../../app/params.ts"
import { sentence } from "../../../ui/badge.tsx"
import { Empty } from "../../../ui/empty.tsx"
import { type Column, List } from "../../../ui/list/list.tsx"
import { Select } from "../../../ui/menu/select.tsx"
import { Time } from "../../../ui/time/time.tsx"
import { STATUS_COLUMN } from "../../emails/columns.tsx"
import { recipientsOf } from "../../emails/email/recipients.ts"

const COLUMNS: readonly Column<Email>[] = [
  {
    head: "Recipient",
    width: "minmax(0, 2fr)",
    cell: (email) => (
      <Link to={`/emails/${email.id}`} className="font-medium">
        {recipientsOf(email).join(", ")}
      </Link>
    ),
    below: ({ lastError, sentAt }) => lastError ?? <Time at={sentAt} />,
  },
  { ...STATUS_COLUMN, width: "minmax(0, 3fr)" },
  { head: "Sent", width: "110px", right: true, cell: ({ sentAt }) => <Time at={sentAt} /> },
]

export function Results({ campaign }: { campaign: Campaign }) {
  const [{ status = "" }, setFilters] = useFilters()
  const pages = useLivePages(
    ["emails", { campaignId: campaign.id, status }],
    (query, options) =>
      api.emails.list(
        {
          ...query,
          campaignId: campaign.id,
          ...(status && { status: status as Email["status"] }),
        },
        options,
      ),
    { type: "email", readRows: readEmailRows },
  )
  return (
    <div className="grid gap-3">
      <Select
        aria-label="Status of the recipients"
        className="max-w-48"
        value={status}
        onChange={(status) => setFilters({ status })}
        options={[
          ["", "Any status"],
          ...EMAIL_STATUSES.map((one) => [one, sentence(one)] as const),
        ]}
      />
      <List
        {...pages}
        label="Recipients"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/emails/${id}`}
        empty={<Empty title={status ? "No recipients with this status" : "No recipients yet"} />}
      />
    </div>
  )
}
