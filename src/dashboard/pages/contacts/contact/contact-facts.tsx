import type { Contact } from "../../../../client/types.ts"
import { Link } from "../../../app/link.tsx"
import { Facts } from "../../../ui/page.tsx"
import { Mono } from "../../../ui/request/copy.tsx"
import { Time } from "../../../ui/time/time.tsx"

export const ContactFacts = ({ contact }: { contact: Contact }) => (
  <Facts
    facts={[
      ["ID", <Mono key="id" text={contact.id} copy />],
      ["Added", <Time key="added" at={contact.createdAt} />],
      contact.unsubscribedAt !== null && [
        "Unsubscribed",
        <span key="left">
          <Time at={contact.unsubscribedAt} />
          {contact.unsubscribeReason && `: ${contact.unsubscribeReason}`}
        </span>,
      ],
      [
        "Mail",
        <Link
          key="mail"
          to={`/recipients/${encodeURIComponent(contact.email)}`}
          className="underline"
        >
          View all email to this address
        </Link>,
      ],
    ]}
  />
)
