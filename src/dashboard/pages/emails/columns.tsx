import { Eye, MousePointerClick } from "lucide-react"
import type { Email } from "../../../client/types.ts"
import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { hint } from "../../ui/button.tsx"
import { type Column, CREATED } from "../../ui/list/list.tsx"
import { useIsStill } from "../../ui/still.ts"
import { Time } from "../../ui/time/time.tsx"
import { bareAddress, recipientsOf } from "./email/recipients.ts"
import { useMarks } from "./search/marks.ts"

const TAGS_SHOWN = 1

/** The state, what the recipient did, and why it bounced or failed. */
export const STATUS_COLUMN: Column<Email> = {
  head: "Status",
  width: "minmax(104px, 3fr)",
  phoneWidth: "128px",
  phone: true,
  cell: (email) => <Status email={email} />,
}

/** A list of emails looks the same wherever it stands. Senders are shown where they differ from `usualSender`. */
export const emailColumns = (usualSender?: string): readonly Column<Email>[] => [
  {
    head: "To",
    width: "minmax(0, 2.5fr)",
    cell: (email) => (
      <Link to={`/emails/${email.id}`} className="font-medium">
        {recipientsOf(email).join(", ")}
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
    width: "minmax(0, 2.5fr)",
    cell: ({ subject, from, tags }) => (
      <span className="flex items-center gap-2">
        <span className="min-w-0 truncate">
          {subject || <span className="text-muted">No subject</span>}
        </span>
        {usualSender && senderOf(from) !== usualSender && (
          <span
            {...hint(senderOf(from))}
            className="max-w-1/2 min-w-16 shrink-20 truncate text-xs text-muted"
          >
            from {senderOf(from)}
          </span>
        )}
        <Tags tags={tags} />
      </span>
    ),
  },
  STATUS_COLUMN,
  CREATED,
]

export const EMAIL_COLUMNS = emailColumns()

const senderOf = (from: string) => bareAddress(from).toLowerCase()

/** The sender of most of these emails. */
export function usualSenderOf(emails: readonly Email[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { from } of emails) {
    const sender = senderOf(from)
    counts.set(sender, (counts.get(sender) ?? 0) + 1)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

const Status = ({ email: { id, status } }: { email: Email }) => (
  <span className="flex items-center gap-2">
    <Badge state={status} />
    <MarksOnceStill id={id} />
  </span>
)

/** Rows that pass by while somebody scrolls ask for nothing. */
const MarksOnceStill = ({ id }: { id: string }) => useIsStill() && <Marks id={id} />

function Marks({ id }: { id: string }) {
  const { opened, clicked, reason } = useMarks(id) ?? {}
  return (
    <>
      {opened && (
        <Eye
          size={14}
          role="img"
          aria-label="Opened"
          {...hint("Opened")}
          className="shrink-0 text-opened"
        />
      )}
      {clicked && (
        <MousePointerClick
          size={14}
          role="img"
          aria-label="Clicked"
          {...hint("Clicked")}
          className="shrink-0 text-clicked"
        />
      )}
      {reason && (
        <span {...hint(reason)} className="min-w-0 truncate text-xs text-muted max-md:hidden">
          {reason}
        </span>
      )}
    </>
  )
}

function Tags({ tags }: { tags: Record<string, string> }) {
  const all = Object.entries(tags).map(([key, value]) => `${key}:${value}`)
  const more = all.length - TAGS_SHOWN
  return all.length === 0 ? null : (
    <span className="flex shrink-0 gap-1" {...(more > 0 && hint(all.join(", ")))}>
      {all.slice(0, TAGS_SHOWN).map((tag) => (
        <span
          key={tag}
          className="max-w-32 truncate rounded bg-sunken px-1.5 text-xs leading-5 text-muted"
        >
          {tag}
        </span>
      ))}
      {more > 0 && <span className="text-xs leading-5 text-muted">+{more}</span>}
    </span>
  )
}
