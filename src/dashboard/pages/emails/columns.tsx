import type { Email } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import type { Column } from "../../ui/list.tsx"
import { Time } from "../../ui/time.tsx"

/** A list of emails looks the same wherever it stands. */
export const EMAIL_COLUMNS: readonly Column<Email>[] = [
  {
    head: "To",
    width: "minmax(0, 2fr)",
    cell: ({ id, to, cc, bcc }) => (
      <Link to={`/emails/${id}`} className="font-medium">
        {[...to, ...cc, ...bcc].join(", ")}
      </Link>
    ),
    below: ({ subject, createdAt }) => (
      <>
        <Time at={createdAt} /> · {subject || "No subject"}
      </>
    ),
  },
  {
    head: "Subject",
    width: "minmax(0, 3fr)",
    cell: ({ subject }) => subject || <span className="text-muted">No subject</span>,
  },
  {
    head: "Status",
    width: "minmax(104px, 1fr)",
    phone: true,
    cell: ({ status }) => <Badge state={status} />,
  },
  {
    head: "Created",
    width: "112px",
    right: true,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]
