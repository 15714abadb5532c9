import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { Campaign, ContactBook } from "../../../client/types.ts"
import { api } from "../../api/api.ts"
import { queries, refresh } from "../../api/queries.ts"
import { Link } from "../../app/link.tsx"
import { Confirm } from "../../ui/dialog/dialog.tsx"
import { counted } from "../../ui/numbers.ts"
import { Time } from "../../ui/time/time.tsx"
import { say } from "../../ui/toast.tsx"
import { Loaded } from "../../ui/waiting.tsx"
import { bookQuery } from "./data.ts"

/** The campaigns that the deletion stops. */
async function campaignsOf({ id }: ContactBook): Promise<Campaign[]> {
  const pages = await Promise.all(
    (["scheduled", "sending"] as const).map((status) => api.campaigns.list({ status, limit: 100 })),
  )
  return pages.flatMap(({ data }) => data).filter(({ bookId }) => bookId === id)
}

export default function DeleteBook({ book, onClose }: { book: ContactBook; onClose(): void }) {
  const navigate = useNavigate()
  const campaigns = useQuery({
    queryKey: ["campaigns", "of-book", book.id],
    queryFn: () => campaignsOf(book),
    staleTime: 0,
  })
  const remove = async () => {
    await api.contactBooks.remove(book.id)
    await navigate({ to: "/contacts" })
    queries.removeQueries({ queryKey: bookQuery(book.id).queryKey })
    refresh("contact-books")
    say("Book deleted")
  }
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Delete book"
      description={`${counted(book.contactCount, "contact")} and their consent are deleted. This cannot be undone.`}
      action="Delete book"
      typed={book.name}
      onConfirm={remove}
    >
      <Loaded query={campaigns} lines={1}>
        {(found) => (
          <>
            <Stopped
              campaigns={found.filter(({ status }) => status === "scheduled")}
              what="scheduled for this book"
              then="They will not be sent and become drafts again."
            />
            <Stopped
              campaigns={found.filter(({ status }) => status === "sending")}
              what="being sent to this book"
              then="Contacts not reached yet will not receive them."
            />
          </>
        )}
      </Loaded>
    </Confirm>
  )
}

interface StoppedProps {
  campaigns: readonly Campaign[]
  what: string
  then: string
}

function Stopped({ campaigns, what, then }: StoppedProps) {
  if (campaigns.length === 0) return null
  return (
    <div className="grid gap-2 rounded-md border border-delayed/40 p-3">
      <p className="font-medium text-delayed">
        {counted(campaigns.length, "campaign")} {campaigns.length === 1 ? "is" : "are"} {what}.
      </p>
      <ul className="grid gap-1">
        {campaigns.map(({ id, name, scheduledAt }) => (
          <li key={id} className="wrap-anywhere">
            <Link to={`/campaigns/${id}`} className="underline underline-offset-2">
              {name}
            </Link>
            {scheduledAt && (
              <>
                , <Time at={scheduledAt} />
              </>
            )}
          </li>
        ))}
      </ul>
      <p>{then}</p>
    </div>
  )
}
