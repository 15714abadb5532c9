import type { Email } from "../../../client/types.ts"
import { EMAIL_STATUSES } from "../../../emails/contract.ts"
import { api } from "../../api/api.ts"
import { useLivePages } from "../../api/pages.ts"
import { Link } from "../../app/link.tsx"
import { useFilters } from "../../app/params.ts"
import { Badge, sentence } from "../../ui/badge.tsx"
import { Empty } from "../../ui/empty.tsx"
import { Select } from "../../ui/field.tsx"
import { type Column, List } from "../../ui/list.tsx"
import { Page } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"

const COLUMNS: readonly Column<Email>[] = [
  {
    head: "To",
    width: "minmax(0, 2fr)",
    cell: ({ id, to }) => (
      <Link to={`/emails/${id}`} className="font-medium">
        {to.join(", ")}
      </Link>
    ),
  },
  { head: "Subject", width: "minmax(0, 3fr)", cell: ({ subject }) => subject },
  {
    head: "Status",
    width: "minmax(96px, 1fr)",
    phone: true,
    cell: ({ status }) => <Badge state={status} />,
  },
  {
    head: "Accepted",
    width: "110px",
    right: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

export default function Emails() {
  const [{ status = "" }, setFilters] = useFilters()
  const pages = useLivePages("email", ["emails", { status }], (query) =>
    api.emails.list({ ...query, ...(status && { status: status as Email["status"] }) }),
  )
  return (
    <Page title="Emails">
      <Select
        aria-label="Status"
        className="max-w-48"
        value={status}
        onChange={(event) => setFilters({ status: event.target.value })}
        options={[
          ["", "Any status"],
          ...EMAIL_STATUSES.map((one) => [one, sentence(one)] as const),
        ]}
      />
      <List
        {...pages}
        label="Emails"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        href={({ id }) => `/emails/${id}`}
        empty={<Empty title="No emails yet">Send the first one.</Empty>}
      />
    </Page>
  )
}
