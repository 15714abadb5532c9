import { useQuery } from "@tanstack/react-query"
import type { EmailWithEvents } from "../../../../client/types.ts"
import { Link } from "../../../app/link.tsx"
import { CAUSES } from "../../suppressions/reasons.ts"
import { suppressionsQuery } from "./recipients.ts"

/** Who would not get the email if it were sent again. */
export function SuppressedRecipients({ email }: { email: EmailWithEvents }) {
  const { data = [] } = useQuery(suppressionsQuery(email))
  if (data.length === 0) return null
  return (
    <div role="status">
      <ul className="grid gap-1">
        {data.map(({ email: address, reason }) => (
          <li key={address} className="wrap-anywhere">
            {address} is suppressed ({CAUSES[reason]}) and will not get it.{" "}
            <Link to={`/recipients/${encodeURIComponent(address)}`} className="underline">
              See the suppression
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
