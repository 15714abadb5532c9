import { Link } from "../../app/link.tsx"
import { Badge } from "../../ui/badge.tsx"
import { Card } from "../../ui/page.tsx"
import { Time } from "../../ui/time/time.tsx"
import type { Recipient } from "./recipient.tsx"

/** Whether the person wants campaigns, book by book. */
export function Consent({ contacts }: { contacts: Recipient["contacts"] }) {
  if (contacts.length === 0) {
    return <p className="text-muted">This address is not in any contact book.</p>
  }
  return (
    <Card className="">
      <ul className="divide-y">
        {contacts.map((contact) => (
          <li
            key={contact.contactId}
            className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 px-4 py-3"
          >
            <span className="min-w-0">
              <Link
                to={`/contacts/${contact.bookId}?contact=${contact.contactId}`}
                className="font-medium underline-offset-2 wrap-anywhere hover:underline"
              >
                {contact.bookName}
              </Link>
              <span className="ml-2 text-muted wrap-anywhere">
                {[contact.firstName, contact.lastName].filter(Boolean).join(" ")}
              </span>
            </span>
            <span className="flex flex-wrap items-baseline gap-x-3">
              <Badge
                state={contact.subscribed ? "subscribed" : "unsubscribed"}
                tone={contact.subscribed ? "delivered" : "waiting"}
              />
              <span className="text-muted wrap-anywhere">
                <Time at={contact.subscribed ? contact.createdAt : contact.unsubscribedAt} />
                {contact.unsubscribeReason && ` · ${contact.unsubscribeReason}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
