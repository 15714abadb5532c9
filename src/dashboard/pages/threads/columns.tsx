import type { Inbox } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { cx } from "../../ui/cx.ts"
import type { Column } from "../../ui/list/list.tsx"
import { number } from "../../ui/numbers.ts"
import { Time } from "../../ui/time/time.tsx"
import type { Row } from "./data.ts"

interface Options {
  inboxes: readonly Inbox[]
  unread: ReadonlySet<string>
  /** Whether the rows are threads. A found message has no state. */
  areThreads: boolean
}

export function columnsOf({ inboxes, unread, areThreads }: Options): Column<Row>[] {
  const addresses = new Map(inboxes.map(({ id, address }) => [id, address]))
  return [
    {
      head: "From",
      width: "minmax(0, 2fr)",
      cell: (row) => (
        <span className="flex items-center gap-2">
          <Link
            to={`/threads/${row.threadId}`}
            className={cx("min-w-0 truncate", unread.has(row.threadId) && "font-semibold")}
          >
            {peopleOf(row, addresses)}
          </Link>
          {unread.has(row.threadId) && <Unread />}
        </span>
      ),
      below: ({ at, subject }) => (
        <>
          <Time at={at} /> · {subject || "No subject"}
        </>
      ),
    },
    {
      head: "Subject",
      width: "minmax(0, 3fr)",
      cell: ({ subject, thread }) => (
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 truncate">
            {subject || <span className="text-muted">No subject</span>}
          </span>
          {thread && thread.messageCount > 1 && (
            <span className="text-xs text-muted">
              {number(thread.messageCount)} <span className="sr-only">messages</span>
            </span>
          )}
        </span>
      ),
    },
    ...(inboxes.length > 1 ? [inboxColumn(addresses)] : []),
    ...(areThreads ? [STATE] : []),
    {
      head: "Last message",
      width: "112px",
      right: true,
      cell: ({ at }) => <Time at={at} />,
    },
  ]
}

const STATE: Column<Row> = {
  head: "State",
  width: "72px",
  phone: true,
  cell: ({ thread }) => thread && <Badge state={thread.state} />,
}

const inboxColumn = (addresses: ReadonlyMap<string, string>): Column<Row> => ({
  head: "Inbox",
  width: "minmax(0, 2fr)",
  cell: ({ inboxId }) => <span className="text-muted">{addresses.get(inboxId)}</span>,
})

const Unread = () => (
  <span className="shrink-0 rounded-full bg-primary px-1.5 text-[11px]/4 font-medium text-on-primary">
    New
  </span>
)

/** Everybody but the inbox itself, as long as somebody else is there. */
function peopleOf({ people, inboxId }: Row, addresses: ReadonlyMap<string, string>): string {
  const others = people.filter(({ email }) => email !== addresses.get(inboxId))
  const shown = others.length > 0 ? others : people
  return shown.map(({ name, email }) => name || email).join(", ") || "Unknown sender"
}
